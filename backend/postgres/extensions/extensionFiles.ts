/// <reference types="vite/types/importMeta.d.ts" />

/** A stand-in's control file, its script, or a script that brings an older version up to it. */
export interface ExtensionFile {
  /** As PostgreSQL looks for it: `pg_net.control`, `pg_net--0.20.4.sql`. */
  name: string
  text: string
}

/**
 * The files of all stand-ins: extensions of the same name and version as upstream's, written in SQL alone where
 * theirs have a library. A script that has been released changes by a new version and a script that leads to it,
 * since PostgreSQL runs each but once.
 */
export function extensionFiles(): ExtensionFile[] {
  const files = import.meta.glob<string>(['./*/*.control', './*/*.sql'], {
    query: '?raw',
    import: 'default',
    eager: true,
  })
  return Object.entries(files).map(([path, text]) => ({ name: path.slice(path.lastIndexOf('/') + 1), text }))
}
