# bibld in a container. Build: docker build -t bibld . ; run: see docs/how-to/install.md.
FROM debian:bookworm-slim AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3-venv \
 && rm -rf /var/lib/apt/lists/*
COPY . /src
RUN python3 -m venv /opt/bibld \
 && /opt/bibld/bin/pip install --no-cache-dir /src

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates openssh-client python3 yaz \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 10001 --user-group --create-home --home-dir /srv/bibld bibld
COPY --from=build /opt/bibld /opt/bibld
ENV PATH=/opt/bibld/bin:$PATH \
    PYTHONUNBUFFERED=1
USER 10001:10001
WORKDIR /srv/bibld
VOLUME /srv/bibld
EXPOSE 8000
HEALTHCHECK --start-period=60s CMD ["python3", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/health/live', timeout=5)"]
ENTRYPOINT ["bibld"]
CMD ["serve", "bibld.toml", "--host", "0.0.0.0"]
