/// <reference types="vite/types/importMeta.d.ts" />

/** The platform's SQL in the order in which it runs; as superuser, in the database `postgres`, on 15 or later. */
export function platformFiles(): { name: string; sql: string }[] {
  const files = import.meta.glob<string>('../platform/*.sql', {
    query: '?raw',
    import: 'default',
    eager: true,
  })
  return Object.entries(files)
    .map(([path, sql]) => ({ name: path.slice(path.lastIndexOf('/') + 1), sql }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}
