// The editor of the SPARQL page. It takes the place of the text field, which stays in the form and keeps the query.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab, toggleTabFocusMode } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { sparql } from "codemirror-lang-sparql";

const KEYWORDS = ["SELECT", "DISTINCT", "WHERE", "OPTIONAL", "FILTER", "UNION", "MINUS", "VALUES", "BIND", "GRAPH", "FROM",
  "GROUP BY", "ORDER BY", "HAVING", "LIMIT", "OFFSET", "CONSTRUCT", "DESCRIBE", "ASK", "PREFIX", "COUNT", "SAMPLE",
  "GROUP_CONCAT", "STR", "LANG", "LANGMATCHES", "REGEX", "CONTAINS", "STRSTARTS", "BOUND", "IF", "COALESCE", "EXISTS",
  "NOT EXISTS", "DESC", "ASC"];

const highlighting = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: "var(--q-keyword)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--q-string)" },
  { tag: [tags.number, tags.bool, tags.literal], color: "var(--q-number)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--soft)", fontStyle: "italic" },
  { tag: [tags.variableName, tags.special(tags.variableName)], color: "var(--q-variable)" },
  { tag: [tags.namespace, tags.url, tags.propertyName, tags.typeName, tags.atom], color: "var(--accent)" },
]);

const theme = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--card)", border: "1px solid var(--soft)", borderRadius: "8px", fontSize: ".9rem" },
  "&.cm-focused": { outline: "3px solid var(--accent)", outlineOffset: "2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5", minHeight: "16rem", maxHeight: "34rem", borderRadius: "7px" },
  ".cm-content": { caretColor: "var(--ink)", padding: ".6rem 0" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { color: "var(--soft)", backgroundColor: "var(--card)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--accent-soft)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: "var(--q-selection)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--q-selection)", outline: "1px solid var(--soft)" },
  ".cm-tooltip": { color: "var(--ink)", backgroundColor: "var(--card)", border: "1px solid var(--soft)" },
  ".cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { color: "var(--ink)", backgroundColor: "var(--accent-soft)" },
  ".cm-completionDetail": { color: "var(--soft)", fontFamily: "var(--sans)", fontStyle: "normal" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--fault)" },
  ".cm-lint-marker-error": { content: "'!'", color: "var(--fault)", fontWeight: "bold", textAlign: "center" },
  ".cm-diagnosticText": { color: "var(--ink)" },
});

const NOTHING = { prefixes: {}, classes: [], properties: [] };
const SUGGESTIONS_AFTER = 2;
const COUNT_BOOST = 90;

function compact(iri, prefixes) {
  let best = "";
  for (const name of Object.keys(prefixes)) {
    const space = prefixes[name];
    if (iri.startsWith(space) && (!best || space.length > prefixes[best].length)) best = name;
  }
  if (!best) return `<${iri}>`;
  const local = iri.slice(prefixes[best].length);
  return /^[\w-]*$/.test(local) ? `${best}:${local}` : `<${iri}>`;
}

function terms(found, words) {
  const options = [];
  const most = Math.max(1, ...found.classes.map((pair) => pair[1]), ...found.properties.map((pair) => pair[1]));
  for (const [kind, pairs] of [["class", found.classes], ["property", found.properties]]) {
    for (const [iri, count] of pairs) {
      const boost = Math.round(COUNT_BOOST * Math.log(count + 1) / Math.log(most + 1)) - 40;
      options.push({ label: compact(iri, found.prefixes), type: kind, boost,
        detail: `${words[kind]}, ${count.toLocaleString(document.documentElement.lang)}` });
    }
  }
  return options;
}

/** Completes keywords, variables of the query, prefixes, and the classes and properties of the data. */
function complete(found, words) {
  const fixed = [...terms(found, words), ...KEYWORDS.map((label) => ({ label, type: "keyword", boost: -50 }))];
  const classes = fixed.filter((option) => option.type === "class");
  return (context) => {
    const declaring = context.matchBefore(/\bPREFIX\s+[\w-]*:?$/i);
    if (declaring) {
      const from = declaring.from + declaring.text.search(/[\w-]*:?$/);
      const options = Object.entries(found.prefixes).map(([name, space]) => ({
        label: `${name}: <${space}>`, type: "namespace" }));
      return { from, options, validFor: /^[\w-]*:?$/ };
    }
    const variable = context.matchBefore(/[?$]\w*$/);
    if (variable) {
      const names = new Set(context.state.doc.toString().match(/[?$]\w+/g) || []);
      names.delete(variable.text);
      return { from: variable.from, options: [...names].map((label) => ({ label, type: "variable" })) };
    }
    const word = context.matchBefore(/[\w-]+:?[\w-]*$/);
    if (!word && !context.explicit) return null;
    const from = word ? word.from : context.pos;
    const before = context.state.sliceDoc(Math.max(0, from - 40), from);
    const options = /(\sa|rdf:type)\s+$/.test(before) ? classes : fixed;
    return { from, options, validFor: /^[\w-]*:?[\w-]*$/ };
  };
}

/** Completes the IRI of a thing by its name, which follows "<"; asks the search of the site. */
function completeNames(mount) {
  return async (context) => {
    const typed = context.matchBefore(/<[^<>"{}|\\^`\n:/]*$/);
    if (!typed || typed.text.length <= SUGGESTIONS_AFTER) return null;
    const query = typed.text.slice(1).trim();
    await new Promise((done) => setTimeout(done, 150));
    if (context.aborted || query.length < SUGGESTIONS_AFTER) return null;
    try {
      const address = `${mount}suggest?q=${encodeURIComponent(query)}`;
      const answer = await fetch(address, { headers: { Accept: "application/json" } });
      if (!answer.ok || context.aborted) return null;
      const options = read(await answer.json()).map((each) => ({
        label: `<${each.label}`, displayLabel: each.label, type: "text", detail: each.detail,
        apply: (view, completion, from, to) => {
          const closing = view.state.sliceDoc(to, to + 1) === ">" ? 1 : 0;
          const insert = `<${each.iri}>`;
          view.dispatch({ changes: { from, to: to + closing, insert }, selection: { anchor: from + insert.length } });
        },
      }));
      return { from: typed.from, options, filter: false };
    } catch {
      return null;
    }
  };
}

/** Returns name, IRI and explanation of what the search suggests, which groups it by kind. */
function read(found) {
  return found.groups.flatMap((group) => group.items.map((item) => (
    { label: item.label, iri: item.iri, detail: [group.label, item.dates].filter(Boolean).join(", ") })));
}

function marks(view, field) {
  const line = Number(field.dataset.line);
  if (!line || line > view.state.doc.lines) return;
  const place = view.state.doc.line(line);
  const from = Math.min(place.to, place.from + Math.max(0, Number(field.dataset.column || 1) - 1));
  const message = document.getElementById("fault");
  view.dispatch(setDiagnostics(view.state, [
    { from, to: Math.max(from, place.to), severity: "error", message: message ? message.textContent : "" },
  ]));
}

export function begin(field) {
  const words = { class: field.dataset.class, property: field.dataset.property };
  // The terms of the data are fetched when somebody is about to type: a page that is only read does not need them.
  let loading = null;
  const load = () => loading ??= fetch(field.dataset.completion)
    .then((answer) => answer.ok ? answer.json() : NOTHING).catch(() => NOTHING)
    .then((found) => complete(found, words));
  const extensions = [
    lineNumbers(), highlightSpecialChars(), history(), drawSelection(), indentOnInput(), bracketMatching(),
    closeBrackets(), highlightActiveLine(), lintGutter(), sparql(), syntaxHighlighting(highlighting), theme,
    autocompletion({ override: [async (context) => (await load())(context), completeNames(field.dataset.mount)], maxRenderedOptions: 60 }),
    keymap.of([
      { key: "Mod-Enter", run: () => { field.form.requestSubmit(); return true; } },
      { key: "Escape", run: (view) => toggleTabFocusModeOnce(view) },
      ...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab,
    ]),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": field.dataset.label, spellcheck: "false", tabindex: "0" }),
    EditorView.updateListener.of((update) => { if (update.docChanged) field.value = update.state.doc.toString(); }),
  ];
  // In a shadow tree the editor adopts its style sheets; as elements of the page the policy of the site refuses them.
  const host = document.createElement("div");
  host.className = "editor";
  const root = host.attachShadow({ mode: "open" });
  field.before(host);
  const view = new EditorView({ parent: root, root, state: EditorState.create({ doc: field.value, extensions }) });
  field.hidden = true;
  const label = document.querySelector(`label[for="${field.id}"]`);
  if (label) label.addEventListener("click", () => view.focus());
  const help = document.getElementById("editor-help");
  if (help) help.hidden = false;
  marks(view, field);
  view.contentDOM.addEventListener("focus", load, { once: true });
}

/** After Esc the key Tab leaves the editor, once. */
function toggleTabFocusModeOnce(view) {
  view.setTabFocusMode(2000);
  return true;
}

const field = document.querySelector("textarea[data-completion]");
if (field) begin(field);
