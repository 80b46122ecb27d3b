import { sqlTokens, type SqlToken } from './sqlTokens.ts'

/** One statement of a file. */
export interface Statement {
  /** As written, with the comments before it, without its semicolon. */
  text: string
  /** Line of `text` in the file, from 1. */
  textLine: number
  /** Line of its first token, after the comments. */
  line: number
  tokens: SqlToken[]
  /** The rows that follow `copy … from stdin` in the file. */
  rows: string | null
  /** A command of psql in place of the semicolon, such as `\gset`. The text is empty where the line has no statement. */
  command?: string
}

/**
 * Splits SQL at the semicolons that end statements: not those in quotes, comments, parentheses (rules with
 * several actions) or a `begin atomic … end` body. Comments without a statement are skipped. In a psql script, as
 * pg_dump writes them, it also reads the rows of a COPY and skips commands that affect only psql.
 * @param keepsAll also returns the commands that affect only psql
 */
export function splitStatements(sql: string, keepsAll = false): Statement[] {
  const source = sql.startsWith('\ufeff') ? sql.slice(1) : sql
  const statements: Statement[] = []
  let tokens: SqlToken[] = []
  let start = 0
  let parentheses = 0
  let atomic = 0
  const lineAt = lineCounter(source)

  const finish = (end: number, rows: string | null = null, command?: string): void => {
    const first = tokens[0]
    if (first) {
      const raw = source.slice(start, end)
      const textLine = lineAt(start + raw.length - raw.trimStart().length)
      const statement = { text: raw.trim(), textLine, line: lineAt(first.start), tokens, rows }
      statements.push(command === undefined ? statement : { ...statement, command })
    } else if (command !== undefined) {
      const line = lineAt(end)
      statements.push({ text: '', textLine: line, line, tokens, rows, command })
    }
    tokens = []
    parentheses = 0
    atomic = 0
  }

  let reader = sqlTokens(source)
  for (let next = reader.next(); !next.done; next = reader.next()) {
    const token = next.value
    if (token.kind === 'symbol') {
      if (token.value === ';' && parentheses <= 0 && atomic === 0) {
        const block = isCopyIn(tokens) ? readRows(source, token.end) : null
        finish(token.start, block?.rows)
        start = block?.end ?? token.end
        if (block) reader = sqlTokens(source, start)
        continue
      }
      if (token.value === '\\') {
        const line = lineFrom(source, token.start)
        if (keepsAll || tokens.length > 0 || !psqlOnly.test(line)) finish(token.start, null, line.trim())
        start = token.start + line.length
        reader = sqlTokens(source, start)
        continue
      }
      if (token.value === '(') parentheses++
      if (token.value === ')') parentheses--
    } else if (token.kind === 'word') {
      const previous = tokens.at(-1)
      if (token.value === 'atomic' && previous?.kind === 'word' && previous.value === 'begin') atomic++
      // `case … end` may occur inside such a body; its `end` does not end the body.
      else if (atomic > 0 && token.value === 'case') atomic++
      else if (atomic > 0 && token.value === 'end') atomic--
    }
    tokens.push(token)
  }
  finish(source.length)
  return statements
}

/** Commands of psql that change nothing in the current database. */
const psqlOnly = /^\\(restrict|unrestrict|connect|c|encoding|set|unset|echo|qecho|pset|timing|x|\.)(\s|$)/

function lineFrom(source: string, at: number): string {
  const end = source.indexOf('\n', at)
  return source.slice(at, end < 0 ? source.length : end)
}

function isCopyIn(tokens: SqlToken[]): boolean {
  const isWord = (token: SqlToken | undefined, word: string): boolean =>
    token?.kind === 'word' && token.value === word
  return (
    isWord(tokens[0], 'copy') &&
    tokens.some((token, i) => isWord(token, 'from') && isWord(tokens[i + 1], 'stdin'))
  )
}

/** The lines after the one that ends at `at`, until the line `\.`. */
function readRows(source: string, at: number): { rows: string; end: number } {
  const begin = at + lineFrom(source, at).length + 1
  const close = /^\\\.\r?$/gm
  close.lastIndex = begin
  const found = close.exec(source)
  if (!found) return { rows: source.slice(begin), end: source.length }
  return { rows: source.slice(begin, found.index), end: found.index + found[0].length }
}

/** Returns the line of an offset; offsets must not decrease. */
function lineCounter(text: string): (offset: number) => number {
  let line = 1
  let next = text.indexOf('\n')
  return (offset) => {
    for (; next >= 0 && next < offset; next = text.indexOf('\n', next + 1)) line++
    return line
  }
}
