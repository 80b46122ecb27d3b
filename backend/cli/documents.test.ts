import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
import { marked, type Token, type Tokens } from 'marked'
import { describe, expect, it } from 'vitest'
import { cases } from '../../wire/body/cases.ts'
import { UsageError } from './Command.ts'
import { commands, parseCommandLine } from './linnet.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** Files of the repository, new ones included, by their paths. */
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)))
const topLevel = new Set(files.map((path) => path.split('/')[0]!))

const documents = files.filter((path) => /^(?:[A-Z]+|docs\/.+)\.md$/.test(path))

// Paths ------------------------------------------------------------------------------------------------

/** Files of readers: what the documents tell them to create, and what a folder of another project can contain. */
const filesOfReaders = new Set(['copy-objects.mjs', 'supabase/functions/.env', 'supabase/schemas'])

const sourceFile = /\.(?:ts|tsx|mjs|sql)$/

/** Whether inline code names a path of the repository, such as `backend/cli`, `rest/plan/planRead.ts` or `CONTRIBUTING.md`. */
function isPath(code: string): boolean {
  if (/[\s()'"=;|$:]|^\/|^https?:|…/.test(code) || filesOfReaders.has(code)) return false
  if (code.includes('/') && topLevel.has(code.split('/')[0]!)) return true
  return !code.startsWith('.') && (sourceFile.test(code) || /^[A-Z]+\.md$/.test(code))
}

/**
 * Whether a path is one of the repository. It may be shortened at its beginning (`cli/start.ts`), and contain `*`,
 * `{a,b}` and placeholders such as `<version>`.
 */
function hasPath(path: string): boolean {
  const pattern = path
    .replace(/\/$/, '')
    .replace(/[.+^$[\]\\]/g, String.raw`\$&`)
    .replace(/\{([^}]*)\}/g, (_, names: string) => `(?:${names.replaceAll(',', '|')})`)
    .replace(/\*\*/g, '.+')
    .replace(/(?<!\.)\*|<[^>]*>/g, '[^/]*')
  const expression = new RegExp(`(?:^|/)${pattern}(?:/|$)`)
  return files.some((file) => expression.test(file))
}

// Links ------------------------------------------------------------------------------------------------

/** The anchors of a document, as GitHub derives them from its headings. */
function anchorsOf(document: string): Set<string> {
  const anchors = new Set<string>()
  marked.walkTokens(marked.lexer(document), (token) => {
    if (token.type !== 'heading') return
    const plain = (token as Tokens.Heading).text.replace(/[`*]|\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const anchor = plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-')
    let unique = anchor
    for (let count = 1; anchors.has(unique); count++) unique = `${anchor}-${count}`
    anchors.add(unique)
  })
  return anchors
}

/** Why a link of a document leads nowhere, or null. Links to other hosts are not followed. */
function findLinkMistake(path: string, href: string, text: string): string | null {
  if (/^[a-z][a-z+.-]*:/.test(href)) return null
  const [target = '', anchor] = decodeURI(href).split('#')
  const file = target === '' ? path : posix.join(dirname(path), target)
  if (target !== '' && !files.includes(file) && !files.some((name) => name.startsWith(`${file}/`)))
    return `the link to ${href} leads to no file`
  if (anchor === undefined || !file.endsWith('.md')) return null
  const linked = target === '' ? text : read(file)
  return anchorsOf(linked).has(anchor) ? null : `the link to ${href} leads to no heading`
}

// Command lines ----------------------------------------------------------------------------------------

const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }

/** The source of the program that a script starts, with its directory, and `bench/` for `bin/bench.mjs`: any file may read options. */
function sourceOf(script: string): string {
  const entry = script.split(' ').findLast((word) => files.includes(word))
  if (entry === undefined) return ''
  const folders = [`${dirname(entry)}/`, `${basename(entry, '.mjs')}/`]
  return files
    .filter((file) => sourceFile.test(file) && folders.some((folder) => file.startsWith(folder)))
    .map(read)
    .join('\n')
}

/** Whether a program compares its arguments with an option such as `--seed`, or passes it to `parseArgs`. */
const readsOption = (source: string, option: string): boolean =>
  new RegExp(`${option}\\b|\\b${option.slice(2)}'?: \\{ type`).test(source)

/** Options of Node, which documents name too. */
const nodeOptions = new Set(['--cpu-prof'])

/** Whether some command of this repository has an option such as `--data`. */
function hasOption(option: string): boolean {
  return (
    nodeOptions.has(option) ||
    commands.some(({ options }) => Object.hasOwn(options, option.slice(2))) ||
    Object.values(scripts).some((script) => readsOption(sourceOf(script), option))
  )
}

/** What `npm test --` accepts as its first word: a project of Vitest, or the browser. */
const testKinds = new Set([
  ...Array.from(read('vitest.config.ts').matchAll(/\bname: '([\w-]+)'/g), ([, name]) => name!),
  'browser',
])

/** Why the words after `npm` name no command of this repository, or null. */
function findNpmMistake([command = '', ...rest]: string[]): string | null {
  const name = command === 'run' ? (rest.shift() ?? '') : command
  const script = scripts[name]
  if (script === undefined) return `package.json has no script "${name}"`
  const args = rest.filter((word) => word !== '--')
  const linnet = /^node bin\/linnet (.*)$/.exec(script)
  if (linnet) return findLinnetMistake([...linnet[1]!.split(' '), ...args])
  const source = sourceOf(script)
  const unknown = args.find((word) => word.startsWith('--') && !readsOption(source, word))
  if (unknown !== undefined) return `"npm run ${name}" has no option ${unknown}`
  const word = args.find((arg) => /^[a-z]+$/.test(arg))
  if (word === undefined) return null
  if (name === 'test' && word === args[0] && !testKinds.has(word)) return `npm test has no kind "${word}"`
  if (name === 'bench' && !files.includes(`bench/${word}.ts`) && !source.includes(`'${word}'`))
    return `npm run bench has no part "${word}"`
  return null
}

/** Why the words after `linnet` are refused, or null. */
function findLinnetMistake(words: string[]): string | null {
  // `linnet <command>` stands for any command.
  if (words[0]?.startsWith('<') ?? true) return null
  const named = words.filter((word) => word !== '--help')
  if (named.length === 0) return null
  try {
    parseCommandLine(named)
    return null
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  }
}

/**
 * Why commands in a text are refused. `linnet` alone counts where a command begins, since it is a name as well; the
 * others count anywhere.
 */
function findCommandMistakes(text: string): string[] {
  const lines = text.replaceAll(/\\\n\s*/g, ' ').replaceAll(/(?:^|\s)#\s.*$|\s>\s.*$/gm, '')
  const rest = String.raw`([^\n;&|)"\x60]*)`
  const found = [
    ...lines.matchAll(new RegExp(String.raw`(?<![\w/-])(npm)\s(?=(?:run|start|test)\b)${rest}`, 'g')),
    ...lines.matchAll(new RegExp(String.raw`(?<![\w/-])bin/(linnet)(?=\s|$)${rest}`, 'g')),
    ...lines.matchAll(new RegExp(String.raw`(?:^|&&|[;|(])\s*(?:\w+=\S+\s+)*(linnet)(?=\s|$)${rest}`, 'gm')),
  ]
  return found.flatMap(([, program, words]) => {
    const args = Array.from(words!.matchAll(/(?:'[^']*'|[^\s'])+/g), ([word]) => word.replaceAll("'", ''))
    return (program === 'npm' ? findNpmMistake(args) : findLinnetMistake(args)) ?? []
  })
}

// Documents --------------------------------------------------------------------------------------------

/** What a document names and this repository does not have. */
function findMistakes(path: string, text: string): string[] {
  const mistakes: (string | null)[] = []
  marked.walkTokens(marked.lexer(text), (token: Token) => {
    if (token.type === 'link' || token.type === 'image') {
      mistakes.push(findLinkMistake(path, (token as Tokens.Link).href, text))
    } else if (token.type === 'html') {
      const addresses = (token as Tokens.HTML).text.matchAll(/\b(?:src|srcset|href)="([^"]*)"/g)
      mistakes.push(...Array.from(addresses, ([, href]) => findLinkMistake(path, href!, text)))
    } else if (token.type === 'code') mistakes.push(...findCommandMistakes((token as Tokens.Code).text))
    else if (token.type === 'codespan') {
      const code = (token as Tokens.Codespan).text
      mistakes.push(...findCommandMistakes(code))
      if (isPath(code) && !hasPath(code)) mistakes.push(`there is no ${code}`)
      const [option] = /^--[a-z][\w-]*/.exec(code) ?? []
      if (option !== undefined && !hasOption(option)) mistakes.push(`no command has the option ${option}`)
    }
  })
  return mistakes.filter((mistake) => mistake !== null)
}

it.each(documents)('%s names links, paths and commands that exist', (path) => {
  expect(findMistakes(path, read(path))).toEqual([])
})

describe('docs/formatting.md', () => {
  const tokens = marked.lexer(read('docs/formatting.md'))

  it('has only examples of which all readers are tested', () => {
    const examples = tokens.filter((token) => token.type === 'code' && token.lang === 'message')
    const texts = new Set(cases.map(({ text }) => text))
    expect(examples.length).toBeGreaterThan(30)
    expect(examples.map((token) => (token as Tokens.Code).text).filter((text) => !texts.has(text))).toEqual(
      [],
    )
  })

  it('has a section for each subject of the cases', () => {
    const headings = new Set(
      tokens.filter(({ type }) => type === 'heading').map((token) => (token as Tokens.Heading).text),
    )
    const subjects = new Set(cases.map(({ subject }) => subject))
    expect([...subjects].filter((subject) => !headings.has(subject))).toEqual([])
  })
})

describe('a document that names what does not exist', () => {
  it.each([
    ['a file', '[x](docs/nothing.md)', 'leads to no file'],
    ['a heading', '[x](CONTRIBUTING.md#nothing-of-the-kind)', 'leads to no heading'],
    ['a heading of its own', '# Here\n\n[x](#there)', 'leads to no heading'],
    ['an image', '![x](docs/nothing.png)', 'leads to no file'],
    ['an image in HTML', '<img src="docs/nothing.png" width="300" />', 'leads to no file'],
    ['a path', 'In `backend/nothing/`.', 'there is no backend/nothing/'],
    ['a shortened path', 'In `cli/nothing.ts`.', 'there is no cli/nothing.ts'],
    ['a pattern of paths', 'In `supabase/schemas/*/nothing.sql`.', 'there is no supabase/'],
    ['a script', '```sh\nnpm run nothing\n```', 'no script "nothing"'],
    ['an option of a script', '`npm run crash -- --cycle 3`', 'no option --cycle'],
    ['a kind of test', '`npm test -- units`', 'no kind "units"'],
    ['a part of the bench', '`npm run bench -- serch`', 'no part "serch"'],
    ['a command', '```sh\nlinnet restart\n```', 'no command "restart"'],
    ['an option of a command', '```sh\ncd x && bin/linnet build --output x\n```', 'no option --output'],
    ['an option of the start', '`npm start -- --demos`', 'no option --demos'],
    ['an option alone', 'With `--trusted-proxies`.', 'no command has the option --trusted-proxies'],
    ['an argument of a command', '`linnet keys revoke`', 'needs <kid>'],
  ])('fails for %s', (_, text, mistake) => {
    expect(findMistakes('README.md', text)).toEqual([expect.stringContaining(mistake)])
  })

  it('passes for what exists', () => {
    const text = `# One: two, \`three\`

[a](#one-two-three) [b](CONTRIBUTING.md) [c](docs) [d](https://example.org/x)
\`backend/cli\` \`cli/start.ts\` \`supabase/schemas/*/messages.sql\` \`application/json\`

\`\`\`sh
npm start -- --demo --port 0 # comment: linnet restart
sudo -u linnet bin/linnet status --data /var/lib/linnet
psql "$(bin/linnet db url)"
LINNET_SEED='1 2' npm test -- unit words
\`\`\``
    expect(findMistakes('README.md', text)).toEqual([])
  })
})
