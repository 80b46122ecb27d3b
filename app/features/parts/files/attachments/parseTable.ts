/** The maximum numbers of rows and columns that are displayed. */
const MAX_ROWS = 500
const MAX_COLUMNS = 50
/** A cell with the character after it: quoted, with quotes doubled, or up to the next delimiter. */
const CELLS: Record<string, RegExp> = {
  ',': /(?:"((?:[^"]|"")*)"|((?!")[^,\r\n]*))(,|\r\n|\r|\n|$)/gy,
  ';': /(?:"((?:[^"]|"")*)"|((?!")[^;\r\n]*))(;|\r\n|\r|\n|$)/gy,
  '\t': /(?:"((?:[^"]|"")*)"|((?!")[^\t\r\n]*))(\t|\r\n|\r|\n|$)/gy,
}

/** The rows of a table, of the same length. */
export interface TextTable {
  rows: readonly (readonly string[])[]
  /** Whether the text has more rows or columns. */
  cut: boolean
}

/** Whether a file has comma-separated or tab-separated values. Systems without a type for these report plain text. */
export function isTable({ type, name }: { type: string; name: string }): boolean {
  return /^text\/(?:csv|tab-separated-values)\b/i.test(type.trim()) || /\.(?:csv|tsv)$/i.test(name)
}

/**
 * Parses comma-separated values (RFC 4180), or values between semicolons or tabs, whichever the first line has most. Returns null
 * for a text that is no table: one row, one column, or a quotation mark that is not closed.
 */
export function parseTable(text: string): TextTable | null {
  const source = text.replace(/^\uFEFF/, '').replace(/[\r\n]+$/, '')
  const [line = ''] = source.split(/\r\n|\r|\n/, 1)
  const [delimiter = ','] = Object.keys(CELLS).sort((a, b) => line.split(b).length - line.split(a).length)
  const pattern = CELLS[delimiter]!
  pattern.lastIndex = 0
  const rows: string[][] = [[]]
  for (;;) {
    const match = pattern.exec(source)
    if (!match) return null
    const [, quoted, plain = '', end] = match
    rows.at(-1)!.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === '' || rows.length > MAX_ROWS) break
    if (end !== delimiter) rows.push([])
  }
  const columns = Math.max(...rows.map((row) => row.length))
  if (rows.length < 2 || columns < 2) return null
  const width = Math.min(columns, MAX_COLUMNS)
  return {
    rows: rows.slice(0, MAX_ROWS).map((row) => Array.from({ length: width }, (_, at) => row[at] ?? '')),
    cut: rows.length > MAX_ROWS || columns > MAX_COLUMNS,
  }
}

/** The beginning of a text without its last line, which may be incomplete. */
export function withoutLastLine(text: string): string {
  return text.replace(/[\r\n][^\r\n]*$/, '')
}
