const space = /(?:[ \t\r\n]|#[^\n]*)*/y
const keyPart = String.raw`(?:"(?:\\.|[^"\\\n])*"|'[^'\n]*'|[\w-]+)`
const dottedKey = String.raw`${keyPart}(?:[ \t]*\.[ \t]*${keyPart})*`
const header = new RegExp(String.raw`\[{1,2}[ \t]*(${dottedKey})[ \t]*\]{1,2}`, 'y')
const assignment = new RegExp(String.raw`(${dottedKey})[ \t]*=`, 'y')
const token =
  /"""(?:\\[\s\S]|(?!""")[^\\])*"{3,5}|'''(?:(?!''')[\s\S])*'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|#[^\n]*|[[\]{}\n]|[^"'#[\]{}\n]+/y

/** The match of a sticky expression at an index. */
function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at
  return expression.exec(text)
}

/** The index after the value that begins at `at`: the end of its last line. */
function skipValue(text: string, at: number): number {
  let depth = 0
  let end = at
  for (let found = matchAt(token, text, end); found !== null; found = matchAt(token, text, end)) {
    const [part] = found
    if (part === '\n' && depth === 0) return end
    if (part === '[' || part === '{') depth++
    if (part === ']' || part === '}') depth--
    end += part.length
  }
  return text.length
}

const toPath = (key: string): string =>
  [...key.matchAll(new RegExp(keyPart, 'g'))].map(([part]) => part.replace(/^(["'])(.*)\1$/, '$2')).join('.')

/**
 * The lines of the tables and keys of a TOML document, by path ("auth.email.smtp.host"). The document must be valid: the
 * parser, which does not return positions, has checked it.
 */
export function findTomlLines(text: string): Map<string, number> {
  const lines = new Map<string, number>()
  let table = ''
  let line = 1
  let counted = 0
  const record = (path: string, at: number): void => {
    for (; counted < at; counted++) if (text[counted] === '\n') line++
    // A dotted key also opens the tables that it names.
    for (let named = path; named !== ''; named = named.slice(0, Math.max(0, named.lastIndexOf('.'))))
      if (!lines.has(named)) lines.set(named, line)
  }
  for (let at = 0; ;) {
    at += matchAt(space, text, at)![0].length
    const opened = matchAt(header, text, at)
    if (opened) {
      table = toPath(opened[1]!)
      record(table, at)
      at += opened[0].length
      continue
    }
    const assigned = matchAt(assignment, text, at)
    if (!assigned) return lines
    record([...(table === '' ? [] : [table]), toPath(assigned[1]!)].join('.'), at)
    at = skipValue(text, at + assigned[0].length)
  }
}
