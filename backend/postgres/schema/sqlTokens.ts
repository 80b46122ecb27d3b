/** A token of SQL: `word` in lower case, `name` a quoted identifier and `string` a literal, without their quotes. */
export interface SqlToken {
  kind: 'word' | 'name' | 'string' | 'symbol'
  value: string
  start: number
  end: number
}

const space = /\s/
const lineEnd = /[\r\n]/g
const wordStart = /[A-Za-z_\u0080-\uffff]/
const wordRest = /[\w$\u0080-\uffff]*/y
const dollarTag = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y

/**
 * The tokens of SQL text by PostgreSQL's lexical rules: nested comments, `''`, `E'\''`, `"…"`, `$tag$…$tag$`.
 * Comments and space are left out; reading begins at the offset `from`. Unterminated tokens reach to the end: the server reports that error better.
 */
export function* sqlTokens(sql: string, from = 0): Generator<SqlToken> {
  let at = from
  while (at < sql.length) {
    const char = sql[at]!
    if (space.test(char)) {
      at++
    } else if (char === '-' && sql[at + 1] === '-') {
      lineEnd.lastIndex = at
      at = orEnd(sql, lineEnd.exec(sql)?.index ?? -1)
    } else if (char === '/' && sql[at + 1] === '*') {
      at = endOfComment(sql, at)
    } else {
      const token = readToken(sql, at, char)
      yield token
      at = token.end
    }
  }
}

function readToken(sql: string, start: number, char: string): SqlToken {
  if (char === "'") return quoted(sql, start, start, 'string', false)
  if (char === '"') return quoted(sql, start, start, 'name', false)
  if (wordStart.test(char)) {
    wordRest.lastIndex = start
    const end = start + wordRest.exec(sql)![0].length
    const value = sql.slice(start, end).toLowerCase()
    if (value === 'e' && sql[end] === "'") return quoted(sql, start, end, 'string', true)
    return { kind: 'word', value, start, end }
  }
  if (char === '$') {
    dollarTag.lastIndex = start
    const tag = dollarTag.exec(sql)?.[0]
    if (tag) {
      const close = sql.indexOf(tag, start + tag.length)
      const end = close < 0 ? sql.length : close + tag.length
      return { kind: 'string', value: sql.slice(start + tag.length, orEnd(sql, close)), start, end }
    }
  }
  // Characters directly after a number belong to it, so that `1$a$` does not open a dollar quote.
  wordRest.lastIndex = start
  const end = /\d/.test(char) ? start + wordRest.exec(sql)![0].length : start + 1
  return { kind: 'symbol', value: sql.slice(start, end), start, end }
}

function quoted(
  sql: string,
  start: number,
  open: number,
  kind: 'string' | 'name',
  escapes: boolean,
): SqlToken {
  const quote = sql[open]!
  let at = open + 1
  for (; at < sql.length; at++) {
    if (escapes && sql[at] === '\\') at++
    else if (sql[at] === quote) {
      if (sql[at + 1] !== quote) break
      at++
    }
  }
  const value = sql.slice(open + 1, at).replaceAll(quote + quote, quote)
  return { kind, value, start, end: Math.min(at + 1, sql.length) }
}

function endOfComment(sql: string, start: number): number {
  let depth = 0
  for (let at = start; at < sql.length; at++) {
    const two = sql.slice(at, at + 2)
    if (two === '/*') depth++
    else if (two === '*/') depth--
    else continue
    at++
    if (depth === 0) return at + 1
  }
  return sql.length
}

function orEnd(sql: string, at: number): number {
  return at < 0 ? sql.length : at
}
