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
}

/**
 * Splits SQL at the semicolons that end statements: not those in quotes, comments, parentheses (rules with
 * several actions) or a `begin atomic … end` body. What holds only comments is left out.
 */
export function splitStatements(sql: string): Statement[] {
  const source = sql.startsWith('\ufeff') ? sql.slice(1) : sql
  const statements: Statement[] = []
  let tokens: SqlToken[] = []
  let start = 0
  let parentheses = 0
  let atomic = 0
  const lineAt = lineCounter(source)

  const finish = (end: number): void => {
    const first = tokens[0]
    if (first) {
      const raw = source.slice(start, end)
      const textLine = lineAt(start + raw.length - raw.trimStart().length)
      statements.push({ text: raw.trim(), textLine, line: lineAt(first.start), tokens })
    }
    tokens = []
    parentheses = 0
    atomic = 0
  }

  for (const token of sqlTokens(source)) {
    if (token.kind === 'symbol') {
      if (token.value === ';' && parentheses <= 0 && atomic === 0) {
        finish(token.start)
        start = token.end
        continue
      }
      if (token.value === '(') parentheses++
      if (token.value === ')') parentheses--
    } else if (token.kind === 'word') {
      const previous = tokens.at(-1)
      if (token.value === 'atomic' && previous?.kind === 'word' && previous.value === 'begin') atomic++
      // `case … end` may stand inside such a body; its `end` is not the body's.
      else if (atomic > 0 && token.value === 'case') atomic++
      else if (atomic > 0 && token.value === 'end') atomic--
    }
    tokens.push(token)
  }
  finish(source.length)
  return statements
}

/** Line of an offset; offsets must not fall. */
function lineCounter(text: string): (offset: number) => number {
  let line = 1
  let next = text.indexOf('\n')
  return (offset) => {
    for (; next >= 0 && next < offset; next = text.indexOf('\n', next + 1)) line++
    return line
  }
}
