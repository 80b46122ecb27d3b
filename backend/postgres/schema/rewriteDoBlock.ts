import { escapeLiteral, type Client, type QueryConfig } from 'pg'
import type { Script } from './missingExtension.ts'
import { planExtension } from './planExtension.ts'
import { parseCreateExtension, rewritePrivilegedStatement } from './privilegedStatement.ts'
import { splitStatements, type Statement } from './splitStatements.ts'
import { sqlTokens, type SqlToken } from './sqlTokens.ts'

/** Words after which a statement of PL/pgSQL can begin. */
const boundaries = new Set(['begin', 'then', 'else', 'loop'])

/**
 * Returns a `do` block of PL/pgSQL in which calls of the platform replace the privileged statements. EXECUTE with a literal
 * counts as the statement in the literal. Null if the block has no privileged statement.
 * @param script the file, to find the statements that use a missing extension
 */
export async function rewriteDoBlock(
  client: Client,
  statement: Statement,
  script: Script,
): Promise<string | null> {
  const body = bodyOf(statement)
  if (body === null) return null
  const tokens = [...sqlTokens(body)]
  let rewritten = ''
  let copied = 0
  for (let at = 0; at < tokens.length; at++) {
    const previous = tokens[at - 1]
    const isStart =
      previous === undefined ||
      (previous.kind === 'symbol' && (previous.value === ';' || previous.value === '>')) ||
      (previous.kind === 'word' && boundaries.has(previous.value))
    if (!isStart) continue
    const end = tokens.findIndex((token, i) => i > at && token.kind === 'symbol' && token.value === ';')
    if (end < 0) break
    const found = innerStatement(body, tokens.slice(at, end))
    const replacement = found && (await replace(client, found, script))
    if (replacement === null) continue
    rewritten += body.slice(copied, tokens[at]!.start) + replacement
    copied = tokens[end]!.start
    at = end - 1
  }
  if (copied === 0) return null
  rewritten += body.slice(copied)
  let tag = '$linnet$'
  while (rewritten.includes(tag)) tag = `${tag.slice(0, -1)}_$`
  return `do ${tag}${rewritten}${tag}`
}

/** The code of `do … [language plpgsql]`; null for other statements and languages. */
function bodyOf({ tokens }: Statement): string | null {
  const [first, ...rest] = tokens
  if (first?.kind !== 'word' || first.value !== 'do') return null
  const language = rest.findIndex(({ kind, value }) => kind === 'word' && value === 'language')
  const name = language < 0 ? null : rest[language + 1]
  if (name && name.value !== 'plpgsql') return null
  return rest.find((token) => token.kind === 'string' && token !== name)?.value ?? null
}

/** The statement itself, or the one in the literal that it executes. */
function innerStatement(body: string, tokens: SqlToken[]): Statement | null {
  const [first, second] = tokens
  if (first?.kind !== 'word') return null
  if (first.value === 'execute') {
    if (second?.kind !== 'string' || tokens.length !== 2) return null
    const inner = splitStatements(second.value)
    return inner.length === 1 ? inner[0]! : null
  }
  const text = body.slice(first.start, tokens.at(-1)!.end)
  return { text, textLine: 1, line: 1, tokens, rows: null }
}

/** A statement of PL/pgSQL, without its semicolon; null for a statement that needs no replacement. */
async function replace(client: Client, statement: Statement, script: Script): Promise<string | null> {
  const created = parseCreateExtension(statement)
  if (created === null) {
    const query = rewritePrivilegedStatement(statement)
    return query && perform(query)
  }
  const { query, notice, failure } = await planExtension({ client, statement: created, script })
  if (failure !== null) return `raise exception using errcode = '0A000', message = ${literal(failure)}`
  const warning = notice === null ? '' : `raise warning using message = ${literal(notice.replace(/\.$/, ''))}`
  if (query === null) return warning || 'null'
  return warning === '' ? perform(query) : `${warning}; ${perform(query)}`
}

function perform({ text, values = [] }: QueryConfig): string {
  const call = text.replace(/\$(\d+)/g, (_, number: string) => literal(values[Number(number) - 1]))
  return call.replace(/^select/, 'perform')
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return `array[${value.map(literal).join(', ')}]`
  // Valid whatever standard_conforming_strings is.
  return typeof value === 'string' ? escapeLiteral(value) : String(value)
}
