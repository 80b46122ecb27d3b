// Words that an engineer who joins would have to guess. `npm run lint` runs it: it prints each use in an identifier, a
// comment, a test title or another string, with what to write instead. The lists are frozen: they keep out the words that
// the code once used, and no word is added. A reviewer decides about new ones.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Parts of identifiers, and what to write instead. */
const identifierWords = {
  'house|houses|homeless': 'server, instance, workspace',
  'say|says|said|tell|tells|told|speak|speaks|spoken': 'send, publish, broadcast, report',
  'hear|hears|heard|unheard': 'receive, received',
  'ask|asks|asked|asking|asker|askers': 'request, query, check, caller',
  'wish|wishes|wished': 'requested value, pending change',
  'deed|deeds': 'mutation, command, action',
  patience: 'timeout',
  'mishap|mishaps': 'error',
  'flight|flights': 'pipeline, batch',
  'lane|lanes': 'queue',
  'stretch|stretches': 'range, span',
  'goodbye|postman|notebook|deserted|shelf|tidy|untidy|worn': 'the standard term',
  'tongue|tongues|bird|finger|fingers': 'language, logo, touch',
  'neighbour|neighbours': 'adjacent',
  'sabotage|wrongs|walls': 'injected fault, mutant, permission matrix',
  'stranger|strangers': 'outsider, unauthenticated caller',
  'twin|twins|ghost|ghosts': 'duplicate, stale',
  'mend|mends|mended': 'fix',
  'glance|sights': 'check, visibility',
}

/** Parts of identifiers of the product, which tests may use in their usual meaning. */
const productWords = {
  'answer|answers|answered|answering': 'response, result, outcome',
  'look|looks|glance|sight': 'check, visibility',
}
const isProduct = (/** @type {string} */ name) =>
  /^(?:app|backend|wire|supabase\/functions)\//.test(name) && !/\.(?:test|fixture)\.|\/testing\//.test(name)

/** Words and phrases in comments, test titles and other strings, and what to write instead. */
const textWords = {
  'the house|a house': 'the server, the instance',
  'deed|deeds|mishap|mishaps|sabotage|postman': 'the standard term',
  'wish|wishes|wished': 'request, pending change',
  'tells|told|hears|heard|unheard|says|said': 'sends, reports, receives, states',
  'poke|pokes|poked': 'activity, event',
  'a beat|the beat|beats': 'heartbeat',
  'doubts|kin|of its own accord|loses sight|lose sight': 'the standard term',
  'a home|the home|either home|this home|homes|embedded home|hosted home': 'server, instance, backend',
  'lets go|let go|gives up|gave up|takes in|took in|taken in|takes off|taken off':
    'release, abandon, create, remove',
  patience: 'timeout',
  'stranger|strangers': 'outsider, unauthenticated caller',
  'twin|twins|ghost|ghosts|goodbye': 'duplicate, stale',
}

/** A log event that is not `<part>.<what happened>` in snake case. The type `LogSource` has the list of parts. */
const otherLogEvent =
  /\blog(?:\??\.(?:info|warn|error)|\[level\])\(\s*(['"`])(?![a-z_]+\.[a-z]+(?:_[a-z]+)*\1)(.*?)\1/g

/** Identifiers that are standard terms (requests in flight, look up) or names of a library (the icon NotebookPen). */
const allowedIdentifiers = /^(?:\w*inFlight|InFlightRequest|look(?:ed)?Up|NotebookPen)$/i

/** Files whose words are data, or interface text in natural language, by the reason. */
const allowedFiles = [
  { path: /^supabase\/migrations\//, because: 'generated from supabase/schemas, which is checked' },
  { path: /^supabase\/seed\.sql$/, because: 'conversations of people' },
  { path: /\/emojiNames\/\w+\.generated\.ts$|\/standard_emoji_names\.sql$/, because: 'names of emoji' },
  { path: /\.module\.css$/, because: 'values of CSS' },
  { path: /^tests\/integration\/rest\//, because: 'tables of example projects, such as birds and wishes' },
  { path: /^tests\/integration\/types\/shapes\./, because: 'a table of an example project' },
  { path: /^tests\/integration\/(?:projects|functions)\//, because: 'responses of example projects' },
  {
    path: /^tests\/support\/(?:projects|functionShapes)\//,
    because: 'example projects as others wrote them',
  },
  { path: /^tests\/permissions\/fixture\.ts$/, because: 'names of channels' },
  {
    path: /^(?:supabase\/tests\/fileList\.test|tests\/browser\/files\.spec|app\/features\/parts\/files\/names\/nameParts\.test)\.ts$/,
    because: 'names and texts of files',
  },
  {
    path: /^backend\/auth\/mail\/templates\/mailTemplates\.test\.ts$/,
    because: 'phrases that a mail must not contain',
  },
  { path: /^bin\/words(?:\.test)?\.(?:mjs|ts)$/, because: 'the words themselves' },
]

const isSource = (/** @type {string} */ name) =>
  /^(?:app|backend|wire|tests|bench|bin|supabase)\/.*\.(?:tsx?|mjs|sql|css|toml)$/.test(name) ||
  /^(?:docs\/.*|[A-Z]+)\.md$/.test(name)

const compile = (/** @type {Record<string, string>} */ table) =>
  Object.entries(table).map(([words, instead]) => ({
    pattern: new RegExp(`\\b(?:${words})\\b`, 'gi'),
    instead,
  }))
const identifierRules = compile(identifierWords)
const productRules = compile(productWords)
const textRules = compile(textWords)

/** @type {Record<string, RegExp>} */
const patterns = {
  sql: /(--[^\n]*|\/\*[\s\S]*?\*\/)|('(?:[^']|'')*')/g,
  toml: /(#[^\n]*)|("(?:[^"\\\n]|\\.)*")/g,
}
const scriptPattern =
  /(\/\/[^\n]*|\/\*[\s\S]*?\*\/)|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`)/g

/**
 * Splits TypeScript, CSS, SQL or TOML into comments, strings and code.
 * @param {string} text
 * @param {string} extension of the file
 */
function split(text, extension) {
  const pattern = patterns[extension] ?? scriptPattern
  const parts = []
  let at = 0
  for (const match of text.matchAll(pattern)) {
    parts.push({ kind: 'code', at, text: text.slice(at, match.index) })
    parts.push({ kind: match[1] === undefined ? 'string' : 'comment', at: match.index, text: match[0] })
    at = match.index + match[0].length
  }
  parts.push({ kind: 'code', at, text: text.slice(at) })
  return parts
}

/** The words of a name in camel case or with underscores. */
const wordsOf = (/** @type {string} */ identifier) =>
  identifier
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .join(' ')

/**
 * Finds the first of the rules that an identifier breaks. Cached, since most identifiers occur many times.
 * @param {ReturnType<typeof compile>} rules
 */
function createRuleFinder(rules) {
  const found = new Map()
  return (/** @type {string} */ identifier) => {
    if (!found.has(identifier)) {
      const words = wordsOf(identifier)
      found.set(
        identifier,
        rules.find(({ pattern }) => words.search(pattern) >= 0),
      )
    }
    return found.get(identifier)
  }
}
const findIdentifierRule = createRuleFinder(identifierRules)
const findProductRule = createRuleFinder([...identifierRules, ...productRules])

/**
 * Finds the words in one file.
 * @param {string} name its path from the root, which decides how it is read
 * @param {string} text
 * @returns each use: the word, what to write instead, its line and where it stands (identifier, comment, string or log event)
 */
export function findWords(name, text) {
  if (allowedFiles.some(({ path }) => path.test(name))) return []
  /** @type {{ word: string; instead: string; line: number; kind: string }[]} */
  const found = []
  /** @type {(word: string, instead: string, at: number, kind: string) => void} */
  const add = (word, instead, at, kind) =>
    found.push({ word, instead, line: text.slice(0, at).split('\n').length, kind })
  for (const match of /^backend\/.*\.ts$/.test(name) ? text.matchAll(otherLogEvent) : [])
    add(
      match[2] ?? '',
      'the part and what happened in snake case, such as auth.mail_failed',
      match.index,
      'log event',
    )
  const parts = name.endsWith('.md')
    ? [{ kind: 'comment', at: 0, text }]
    : split(text, name.split('.').at(-1) ?? '')
  for (const part of parts) {
    if (part.kind === 'code') {
      for (const match of part.text.matchAll(/[A-Za-z_$][\w$]*/g)) {
        if (allowedIdentifiers.test(match[0])) continue
        const rule = (isProduct(name) ? findProductRule : findIdentifierRule)(match[0])
        if (rule) add(match[0], rule.instead, part.at + match.index, 'identifier')
      }
      continue
    }
    for (const { pattern, instead } of textRules) {
      for (const match of part.text.matchAll(pattern))
        add(match[0], instead, part.at + match.index, part.kind)
    }
  }
  return found
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  let count = 0
  for (const name of listed.split('\n').filter((file) => isSource(file) && existsSync(join(root, file)))) {
    for (const { word, instead, line, kind } of findWords(name, readFileSync(join(root, name), 'utf8'))) {
      count += 1
      console.log(`${name}:${line} "${word}" in ${kind}: write ${instead}`)
    }
  }
  console.log(count === 0 ? 'All words are standard terms.' : `${count} words have a standard term instead.`)
  process.exitCode = count === 0 ? 0 : 1
}
