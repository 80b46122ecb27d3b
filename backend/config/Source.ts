/** The file or the environment variable that contains a value. */
export type Source = { file: string; line: number | null } | { variable: string }

/** The source as the beginning of an error message, or as a cell of a table. */
export function describeSource(source: Source): string {
  if ('variable' in source) return `environment variable ${source.variable}`
  return source.line === null ? source.file : `${source.file}, line ${source.line}`
}
