/** What concerns one connection alone, the whole address, or is said by us. */
const notHandedOn = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  // What a browser would hold against this whole address for a time, not against one answer: a function that hands
  // on what another server said must not empty the application's storage or lead its readers elsewhere.
  'alt-svc',
  'clear-site-data',
  'nel',
  'origin-agent-cluster',
  'public-key-pins',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'strict-transport-security',
])

/**
 * A function shares its address with the application and the pages of this house: unless it says otherwise, what
 * it answers is kept by nobody and runs no script there.
 */
const defaults = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'x-content-type-options': 'nosniff',
}

/** The head of an answer, without what its length says. */
export interface AnswerHead {
  statusText: string
  /** By name in lower case; a function's own code has joined what may be joined. */
  headers: Record<string, string | string[]>
  /** `content-length` as the function gave it. */
  length: string | null
}

const digits = /^\d{1,15}$/

function parse(text: string): AnswerHead {
  const [statusText = '', ...lines] = text.split('\n')
  const headers: AnswerHead['headers'] = { ...defaults }
  let length: string | null = null
  for (let i = 0; i + 1 < lines.length; i += 2) {
    const name = lines[i]!.toLowerCase()
    const value = lines[i + 1]!
    if (name === 'content-length') length = digits.test(value) ? value : null
    else if (name === 'set-cookie') headers[name] = [...(headers[name] ?? []), value]
    else if (!notHandedOn.has(name)) headers[name] = value
  }
  return { statusText, headers, length }
}

/** Most answers of a function have the head of the one before: so many are remembered, up to this length. */
const mostKnown = 256
const longestKnown = 1_024
const known = new Map<string, AnswerHead>()

/** Reads a worker's head: a status text, then names and values in turn, a line each. Not to be changed. */
export function answerHead(text: string): Readonly<AnswerHead> {
  const before = known.get(text)
  if (before) return before
  const head = parse(text)
  if (text.length > longestKnown) return head
  if (known.size >= mostKnown) known.clear()
  known.set(text, head)
  return head
}
