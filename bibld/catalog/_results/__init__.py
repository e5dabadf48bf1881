"""What the stages found: edges, clusters, merged descriptions, statements, patches."""
