// Which directory may import from which. `npm run lint` runs it: it prints each import that breaks a rule. Decision 71 has
// the reasons why no published tool does it. Import cycles are found by oxlint.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

const services = [
  'wire',
  'backend/logging',
  'backend/config',
  'backend/runtime',
  'backend/budgets',
  'backend/postgres',
]

/** The paths of the pages and the history of the browser: every part of the app may use them. */
const leaves = ['app/paths.ts', 'app/historyState.ts', 'app/devicePreferences.ts']

/**
 * Each directory, or file, with those that it may import from besides itself. The longest match counts. A directory
 * that is missing here is an error, so that a new one gets its place.
 * @type {Record<string, string[]>}
 */
export const mayImport = {
  // Every directory may use shapes and codecs. They use no other directory.
  wire: ['wire/languages.ts'],
  'wire/languages.ts': [],

  // `app/ui` does not depend on messages, and `app/data` does not depend on the interface. App and backend share no
  // code but wire.
  app: [
    'wire',
    'app/ui',
    'app/data',
    'app/features',
    'app/shell',
    'app/screens',
    ...leaves,
    'app/routes.tsx',
  ],
  'app/paths.ts': [],
  'app/historyState.ts': ['wire'],
  'app/devicePreferences.ts': ['wire'],
  'app/ui': ['wire/languages.ts', ...leaves],
  // No part of the build imports it.
  'app/gallery': ['app/ui'],
  'app/worker': ['wire', 'app/paths.ts'],
  'app/data': ['wire', 'app/worker', ...leaves],
  // Each directory of features belongs to a layer: parts, conversation or flows.
  'app/features': [],
  'app/features/parts': ['wire', 'app/data', 'app/ui', ...leaves],
  'app/features/conversation': ['wire', 'app/data', 'app/ui', 'app/features/parts', ...leaves],
  'app/features/flows': [
    'wire',
    'app/data',
    'app/ui',
    'app/features/parts',
    'app/features/conversation',
    ...leaves,
  ],
  'app/shell': ['wire', 'app/data', 'app/ui', 'app/features', ...leaves],
  'app/screens': ['wire', 'app/data', 'app/ui', 'app/features', 'app/shell', ...leaves],
  // Screens do not import each other: `checkImports`. The settings list the routes of the settings.
  'app/screens/settings/settingsRoutes.ts': ['app/features', ...leaves, 'app/routes.tsx'],
  'app/screens/settings': [
    'wire',
    'app/data',
    'app/ui',
    'app/features',
    'app/shell',
    ...leaves,
    'app/screens/settings/settingsRoutes.ts',
  ],
  'app/routes.tsx': ['app/data', 'app/ui', 'app/features', 'app/screens', ...leaves],

  // Every part of the server may use these.
  'backend/logging': [],
  'backend/config': [],
  'backend/runtime': ['wire', 'backend/logging', 'backend/config'],
  'backend/budgets': ['wire', 'backend/config', 'backend/runtime'],
  'backend/postgres': ['wire', 'backend/logging', 'backend/config', 'backend/runtime', 'backend/budgets'],

  // Services never import each other. main.ts passes them their dependencies.
  'backend/rest': services,
  'backend/auth': services,
  'backend/storage': services,
  'backend/realtime': services,
  'backend/functions': services,
  'backend/jobs/cron': services,
  'backend/jobs/http': services,
  'backend/jobs/invocations': services,
  'backend/backup': services,
  'backend/restore': [...services, 'backend/backup'],
  'backend/control': services,
  'backend/gateway': ['wire', 'backend/logging', 'backend/config', 'backend/runtime', 'backend/budgets'],

  // These put the parts together. None of them imports optional parts.
  'backend/metrics': ['backend'],
  'backend/startup': ['wire', 'backend'],
  'backend/upgrade': ['backend'],
  'backend/health': ['wire', 'backend'],
  'backend/serverSettings': ['wire', 'backend'],

  // Nothing in the core imports optional parts. main.ts and the command line register them.
  'backend/optional/dashboard': [...services, 'backend/startup', 'backend/health'],
  'backend/optional/types': services,
  // Registered with the auth service.
  'backend/optional/oauthServer': [...services, 'backend/auth'],
  'backend/optional/sms': [...services, 'backend/auth'],
  'backend/optional/web3': [...services, 'backend/auth'],
  'backend/optional/openapi': [...services, 'backend/rest'],
  'backend/optional/presence': [...services, 'backend/realtime'],
  'backend/optional/postgresChanges': [...services, 'backend/realtime'],
  'backend/optional/thumbnails': [...services, 'backend/storage'],
  'backend/optional/deploy': ['backend'],
  'backend/optional/schemaDiff': services,
  // Names of emoji in the texts of messages.
  'backend/optional/archive': [...services, 'supabase/functions/_shared'],
  // It reads uploads and ranges as the storage service does.
  'backend/optional/moving': [...services, 'backend/storage', 'backend/optional/import'],
  // It converts messages as the function incoming-webhook does.
  'backend/optional/import': [
    ...services,
    'backend/jobs/http',
    'backend/optional/archive',
    'supabase/functions/_shared',
  ],
  'backend/main.ts': ['wire', 'backend', 'backend/optional'],
  'backend/cli': ['wire', 'backend', 'backend/optional'],

  supabase: ['wire', 'backend', 'backend/optional', 'tests'],
  // Edge Functions and the modules that they share: the functions themselves are not checked.
  'supabase/functions/_shared': ['wire', 'backend'],
  bin: [],
  // The build and the app use the same keys of messages.
  'bin/messageCatalogs.ts': ['bin', 'app/ui'],
  // Linnet's mails have the layout of the server's own.
  'bin/mailTemplates.ts': ['bin', 'backend/auth'],
  bench: ['wire', 'backend', 'backend/optional', 'app', 'tests', 'supabase'],
  tests: ['wire', 'backend', 'backend/optional', 'app', 'supabase', 'bench', 'bin'],
  // These tests use only the protocols of a server, so that they run against any server.
  'tests/acceptance': [],
}

/**
 * Stages of one service, and packages that one file alone may import. `in` and `not` are beginnings of paths or package names.
 * @type {{ in: string[]; except?: string[]; not: string[]; because: string }[]}
 */
export const stages = [
  {
    in: ['backend/rest/parse/', 'backend/rest/plan/', 'backend/rest/sql/'],
    not: ['pg', 'backend/postgres/'],
    because: 'parsing, planning and rendering SQL are pure',
  },
  {
    in: ['backend/rest/parse/'],
    not: ['backend/rest/plan/', 'backend/rest/sql/', 'backend/rest/respond/', 'backend/rest/schemaCache/'],
    because: 'parsing depends on the request alone',
  },
  {
    in: ['backend/rest/plan/'],
    not: ['backend/rest/sql/', 'backend/rest/respond/'],
    because: 'a plan knows no SQL and no response',
  },
  {
    in: ['backend/rest/sql/'],
    not: ['backend/rest/respond/'],
    because: 'SQL does not depend on how the response is rendered',
  },
  {
    in: ['backend/rest/schemaCache/'],
    not: ['backend/rest/parse/', 'backend/rest/plan/', 'backend/rest/sql/', 'backend/rest/respond/'],
    because: 'the schema cache is beside the stages',
  },
  {
    in: ['app/'],
    except: ['app/data/client/'],
    not: ['@supabase/'],
    because: 'one directory configures the client libraries: keys, cookies, requests',
  },
]

/**
 * Modules that a file may not import together, because one component has replaced the combination. `old`: the files that
 * still have it. This list only shrinks.
 * @type {{ together: string[]; by: string; old: string[] }[]}
 */
export const replaced = [
  { together: ['app/ui/Dialog.tsx', 'app/ui/Form.tsx'], by: 'app/ui/FormDialog.tsx', old: [] },
]

/**
 * Whether a path, or the name of a package, is one of these directories, files or packages, or lies in one.
 * @param {string} path
 * @param {string[]} beginnings
 */
const startsWithAny = (path, beginnings) =>
  beginnings.some((start) => path === start || path.startsWith(start.endsWith('/') ? start : `${start}/`))

/** The directory or file of `mayImport` that a path belongs to. */
function moduleOf(/** @type {string} */ path) {
  const candidates = Object.keys(mayImport).filter(
    (module) => path === module || path.startsWith(`${module}/`),
  )
  return candidates.sort((a, b) => b.length - a.length)[0]
}

/**
 * Whether a file of one module may import a file of another. 'backend' stands for all of it but the optional parts.
 * @param {string} from
 * @param {string} to
 */
function isAllowed(from, to) {
  return (
    from === to ||
    (mayImport[from] ?? []).some(
      (allowed) =>
        to === allowed ||
        (to.startsWith(`${allowed}/`) && (to.startsWith('backend/optional/') ? allowed !== 'backend' : true)),
    )
  )
}

const importPattern =
  /(?:^|\n)\s*(?:import|export)\b(?:(?!\n\n)[^'"`;])*?from\s*'([^']+)'|(?:^|\n)import '([^']+)'|\bimport\('([^']+)'\)/g

/**
 * What a file imports: paths from the root for relative imports, else names of packages.
 * @param {string} path
 * @param {string} text
 */
function importsOf(path, text) {
  return [...text.matchAll(importPattern)].map(([, a, b, c]) => {
    const name = a ?? b ?? c ?? ''
    return name.startsWith('.') ? posix.join(posix.dirname(path), name) : name
  })
}

/**
 * Checks files against the rules.
 * @param {Map<string, string>} files the text of each file by its path from the root
 * @returns one sentence for each broken rule
 */
export function checkImports(files) {
  const problems = []
  /** @type {Map<string, Map<string, string>>} */
  const features = new Map()
  for (const [path, text] of files) {
    const from = moduleOf(path)
    const isTest = /\.test\.tsx?$/.test(path)
    const targets = importsOf(path, text)
    for (const { together, by, old } of replaced) {
      const isUsed =
        !startsWithAny(path, ['app/ui', 'app/gallery']) && together.every((one) => targets.includes(one))
      if (isUsed && !old.includes(path))
        problems.push(`${path} may not import ${together.join(' and ')}: use ${by}`)
      if (!isUsed && old.includes(path))
        problems.push(`${path} uses ${by}: remove it from the list in bin/imports.mjs`)
    }
    for (const target of targets) {
      const isFile = target.includes('.') && /^(app|backend|wire|tests|bench|bin|supabase)\//.test(target)
      for (const { in: where, except = [], not, because } of stages) {
        if (
          !isTest &&
          startsWithAny(path, where) &&
          !startsWithAny(path, except) &&
          startsWithAny(target, not)
        ) {
          problems.push(`${path} may not import ${target}: ${because}`)
        }
      }
      if (!isFile) continue
      const [feature, other] = isTest ? [] : [featureOf(path), featureOf(target)]
      if (feature && other && feature !== other)
        features.set(feature, new Map(features.get(feature)).set(other, `${path} imports ${target}`))
      const screen = screenOf(path)
      const otherScreen = screenOf(target)
      if (screen && otherScreen && screen !== otherScreen)
        problems.push(
          `${path} may not import ${target}: screens share code through app/features or app/shell`,
        )
      const to = moduleOf(target)
      if (from === undefined || to === undefined)
        problems.push(`${path}: bin/imports.mjs has no row for it or for ${target}`)
      // A test may use the support of all tests and start what it needs; only the app and the backend stay apart.
      else if (isTest ? isApart(from, to) : !isAllowed(from, to))
        problems.push(`${path} may not import ${target}`)
    }
  }
  return [...problems, ...findCycles(features)]
}

/** The directory of features that a path belongs to. */
function featureOf(/** @type {string} */ path) {
  return /^app\/features\/[^/]+\/[^/]+(?=\/)/.exec(path)?.[0]
}

/**
 * Finds cycles of directories.
 * @param {Map<string, Map<string, string>>} graph for each directory those that it imports, with one of the imports
 * @returns one sentence for each cycle, with its imports
 */
function findCycles(graph) {
  /** @type {string[]} */
  const problems = []
  const visited = new Set()
  /** @type {(directory: string, steps: [string, string][]) => void} */
  const visit = (directory, steps) => {
    const start = steps.findIndex(([passed]) => passed === directory)
    if (start >= 0) {
      const reasons = steps.slice(start).map(([, reason]) => reason)
      problems.push(`${directory} is in a cycle of directories: ${reasons.join(', ')}`)
    } else if (!visited.has(directory)) {
      for (const [next, reason] of graph.get(directory) ?? []) visit(next, [...steps, [directory, reason]])
      visited.add(directory)
    }
  }
  for (const directory of graph.keys()) visit(directory, [])
  return problems
}

/** The directory of the screen that a path belongs to. */
function screenOf(/** @type {string} */ path) {
  return /^app\/screens\/([^/]+)\//.exec(path)?.[1]
}

/**
 * Whether a test that lies in one module may not use another.
 * @param {string} from
 * @param {string} to
 */
function isApart(from, to) {
  if (from === 'tests/acceptance') return to !== from
  const isApp = (/** @type {string} */ module) => module === 'app' || module.startsWith('app/')
  const isBackend = (/** @type {string} */ module) => module.startsWith('backend/')
  return (isApp(from) && isBackend(to)) || (isBackend(from) && isApp(to))
}

/** All source files of the checkout that git knows or that are new, by path. */
function readSources() {
  const names = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  }).split('\n')
  const isSource = (/** @type {string} */ name) =>
    /^(app|backend|wire|tests|bench|bin|supabase)\/.*\.(tsx?|mjs)$/.test(name) &&
    !name.includes('supabase/functions/')
  return new Map(
    names
      .filter((name) => isSource(name) && existsSync(join(root, name)))
      .map((name) => [name, readFileSync(join(root, name), 'utf8')]),
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = checkImports(readSources())
  for (const problem of problems) console.log(problem)
  console.log(
    problems.length === 0 ? 'All imports follow the rules.' : `${problems.length} imports break the rules.`,
  )
  process.exitCode = problems.length === 0 ? 0 : 1
}
