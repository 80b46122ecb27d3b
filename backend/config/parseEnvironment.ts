/** A file of NAME=value lines that can't be read; `message` names the line, never what stands in it. */
export class EnvironmentError extends Error {}

const nameAhead = /[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*[=:][ \t]*/y

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

/** `$NAME` and `${NAME}` stand for what the file said before; `\$` is a dollar. */
function expand(value: string, known: Record<string, string>): string {
  return value.replace(/\\\$|\$\{(\w+)\}|\$(\w+)/g, (part, braced?: string, plain?: string) =>
    part === '\\$' ? '$' : (known[braced ?? plain!] ?? ''),
  )
}

const escapes: Record<string, string> = { n: '\n', r: '\r' }

/**
 * Reads the text of a `.env` file as the Supabase CLI does: `export`, comments, quotes over several lines,
 * escapes and `$NAME` in double quotes, nothing of that in single ones. Throws EnvironmentError.
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
      if (!match) throw new EnvironmentError(`Line ${lineOf(text, at)} opens a quote that is never closed.`)
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
