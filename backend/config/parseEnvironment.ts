/** An invalid `.env` file; `message` contains the line number, never its text. */
export class EnvironmentError extends Error {}

const nameAhead = /[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*[=:][ \t]*/y

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

/** Replaces `$NAME` and `${NAME}` by values from earlier lines; `\$` is a dollar sign. */
function expand(value: string, values: Record<string, string>): string {
  return value.replace(/\\\$|\$\{(\w+)\}|\$(\w+)/g, (match, braced?: string, plain?: string) =>
    match === '\\$' ? '$' : (values[braced ?? plain!] ?? ''),
  )
}

const escapes: Record<string, string> = { n: '\n', r: '\r' }

/**
 * Parses a `.env` file like the Supabase CLI: `export`, comments, quoted values of several lines, escapes and `$NAME` in
 * double quotes but not in single quotes. Throws EnvironmentError.
 */
export function parseEnvironment(source: string): Record<string, string> {
  const text = source.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  const values: Record<string, string> = {}
  let at = 0
  while (at < text.length) {
    const blank = /(?:[ \t]*(?:#[^\n]*)?\n)+|[ \t]*(?:#[^\n]*)?$/y
    blank.lastIndex = at
    const skipped = blank.exec(text)
    if (skipped && skipped[0] !== '') at = blank.lastIndex
    if (at >= text.length) break
    nameAhead.lastIndex = at
    const name = nameAhead.exec(text)
    if (!name) throw new EnvironmentError(`Line ${lineOf(text, at)} is not NAME=value.`)
    at = nameAhead.lastIndex
    const quote = text[at]
    if (quote === '"' || quote === "'") {
      const quoted = /(["'])((?:\\[\s\S]|(?!\1)[^\\])*)\1[^\n]*/y
      const single = /(')([^']*)'[^\n]*/y
      const pattern = quote === '"' ? quoted : single
      pattern.lastIndex = at
      const match = pattern.exec(text)
      if (!match) throw new EnvironmentError(`Line ${lineOf(text, at)} has an unclosed quote.`)
      at = pattern.lastIndex
      values[name[1]!] =
        quote === "'"
          ? match[2]!
          : expand(
              match[2]!.replace(/\\([^$])/g, (_, char: string) => escapes[char] ?? char),
              values,
            )
    } else {
      const end = text.indexOf('\n', at)
      const line = text.slice(at, end < 0 ? text.length : end)
      at += line.length
      values[name[1]!] = expand(line.replace(/(?:^|[ \t])#.*$/, '').trim(), values)
    }
  }
  return values
}
