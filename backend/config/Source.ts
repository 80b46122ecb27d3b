/** The file or the environment variable that contains a value. */
export type Source = { file: string; line: number | null } | { variable: string }

/** The file or the variable, without the line. */
export const nameSource = (source: Source): string =>
  'variable' in source ? `environment variable ${source.variable}` : source.file

/** The source as the beginning of an error message, or as a cell of a table. */
export function describeSource(source: Source): string {
  const name = nameSource(source)
  return 'variable' in source || source.line === null ? name : `${name}, line ${source.line}`
}
