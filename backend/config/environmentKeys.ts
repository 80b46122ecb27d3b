import { isTable, type ConfigTree } from './configTree.ts'
import { knownKeys } from './knownKeys.ts'
import { nearestName } from './nearestName.ts'

const prefix = 'LINNET_'

/** Variables of Linnet that are not settings, and of its tests and measurements. */
const otherVariables = new Set(
  (
    'DB_URL EARLIER_POSTGRES EXTENSIONS JWT_SECRET SECRET_KEY SLACK_TOKEN STARTED_SCRIPT TEMPLATE ' +
    'ANON_KEY ATTACKS BENCH_BEFORE BENCH_STARTED_AT CHROMIUM COMPARE CRASHES ENGINES FIREFOX FUZZ_FRAMES FUZZ_RUNS ' +
    'HEADLESS_SHELL KEY KIND_SUFFIX NEWEST_NODE OMITTED OTHER_POSTGRES PICTURES POSTGRES RUNS SEED SERVICE_KEY SLOWEST ' +
    'SOCKETS STORAGE_SERVER TIER URL WEBKIT_DRIVER'
  )
    .split(' ')
    .map((name) => `${prefix}${name}`),
)

const isOtherVariable = (name: string): boolean => otherVariables.has(name) || /^LINNET_TEST(_|$)/.test(name)

/** The variable that overrides the key at a path: LINNET_AUTH_EMAIL_SMTP_HOST for `auth.email.smtp.host`. */
export const variableOf = (path: string): string => `${prefix}${path.toUpperCase().replaceAll('.', '_')}`

/**
 * The supported keys by their variable. Keys with a name that the file chooses (`functions.<name>.verify_jwt`) have no
 * variable, since a variable cannot contain each such name.
 */
export const keysByVariable: ReadonlyMap<string, string> = new Map(
  Object.entries(knownKeys)
    .filter(([path, key]) => key.unsupported === undefined && !path.includes('*'))
    .map(([path]) => [variableOf(path), path]),
)

/** The values of the environment variables `LINNET_…` as a tree of texts, and a sentence for each that is no key. */
export function readEnvironmentKeys(variables: Readonly<Record<string, string | undefined>>): {
  tree: ConfigTree
  warnings: string[]
} {
  const tree: ConfigTree = {}
  const warnings: string[] = []
  for (const [name, value] of Object.entries(variables)) {
    // An empty variable counts as unset, as in the official CLI.
    if (!name.startsWith(prefix) || value === undefined || value === '' || isOtherVariable(name)) continue
    const path = keysByVariable.get(name)
    if (path === undefined) warnings.push(unknownVariable(name))
    else setValue(tree, path.split('.'), value)
  }
  return { tree, warnings }
}

function unknownVariable(name: string): string {
  const near = nearestName(name, keysByVariable.keys())
  const hint = near === null ? '' : ` Did you mean ${near}?`
  return `The environment variable ${name} is no setting of Linnet.${hint}`
}

function setValue(tree: ConfigTree, path: string[], value: string): void {
  const [name, ...below] = path as [string, ...string[]]
  if (below.length === 0) {
    tree[name] = value
    return
  }
  const table = tree[name]
  const next: ConfigTree = isTable(table) ? table : {}
  tree[name] = next
  setValue(next, below, value)
}
