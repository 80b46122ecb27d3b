import { minifySync, parseSync } from 'rolldown/utils'
import type { Plugin } from 'vite'
import { childrenOf, isAstNode, type AstNode } from './astNode.ts'

/**
 * Removes the parts of react-dom that no component of the app uses: hydration, Activity, SuspenseList, Profiler, view
 * transitions, refs of fragments, custom elements, stylesheets and scripts that React loads, form actions and their hooks.
 * React refers to all of them in its switches over the kind of a fiber, so that the bundler can't.
 *
 * The lists below are facts about this app. They are written into the code as constants; then the minifier drops the
 * branches that never run, and functions that nothing refers to are removed until none is left.
 */

/** Kinds of fibers that are never created, as `fiber.tag` numbers them. */
const tags = new Set<unknown>([
  12, // Profiler
  18, // hydrated content
  19, // SuspenseList
  21, // scope
  26, // stylesheets, scripts, titles: rendered where they stand
  27, // html, head, body: rendered where they stand
  30, // ViewTransition
  31, // Activity
])

/** Variables of the module that always have this value, or that are read by unused parts only. */
const variables = new Map([
  ['appearingViewTransitions', 'null'],
  ['canUseDOM', 'true'],
  ['hydrationErrors', 'null'],
  ['hydrationParentFiber', 'null'],
  ['inUpdateViewTransition', 'false'],
  ['isHydrating', 'false'],
  ['isInputEventSupported', 'true'],
  ['nextHydratableInstance', 'null'],
  ['pendingTransitionTypes', 'null'],
  ['pendingViewTransition', 'null'],
  ['pendingViewTransitionEvents', 'null'],
  ['queuedDrag', 'null'],
  ['queuedFocus', 'null'],
  ['queuedMouse', 'null'],
  ['rootViewTransitionAffected', 'false'],
  ['shouldStartViewTransition', 'false'],
  ['useFallbackCompositionData', 'false'],
  ['viewTransitionMutationContext', 'false'],
])

/** Methods and static properties of class components that the app's only one, the error boundary, does not have. */
const lifecycle = [
  'UNSAFE_componentWillMount',
  'UNSAFE_componentWillReceiveProps',
  'UNSAFE_componentWillUpdate',
  'componentDidCatch',
  'componentDidMount',
  'componentDidUpdate',
  'componentWillMount',
  'componentWillReceiveProps',
  'componentWillUnmount',
  'componentWillUpdate',
  'contextType',
  'getDerivedStateFromProps',
  'getSnapshotBeforeUpdate',
  'isPureReactComponent',
  'shouldComponentUpdate',
]

/** Properties that always have this value. */
const properties = new Map([
  ['dehydrated', 'null'],
  ['isDehydrated', 'false'],
  ...lifecycle.map((name) => [name, 'undefined'] as const),
])

/** Functions that always return this value, without an effect. */
const results = new Map([
  // What `onBeforeInput` passes on where browsers have no event for it.
  ['getFallbackBeforeInputChars', 'null'],
  // The component stack of an error, which the error boundary does not show.
  ['getStackByFiberInDevAndProd', "''"],
  ['isCustomElement', 'false'],
  ['isFragmentInstanceParent', 'false'],
  ['isHostHoistableType', 'false'],
  ['isSingletonScope', 'false'],
  ['popHydrationState', 'false'],
  ['upgradeHydrationErrorsToRecoverable', 'null'],
])

/** Functions that are never called, or without an effect. */
const functions = new Set([
  // Hydration, and events that wait for it
  'attemptExplicitHydrationTarget',
  'clearIfContinuousEvent',
  'commitSuspenseHydrationCallbacks',
  'queueHydrationError',
  'queueIfContinuousEvent',
  'resetHydrationState',
  'retryDehydratedSuspenseBoundary',
  'retryIfBlockedOn',
  'updateDehydratedSuspenseComponent',
  // View transitions, and refs of fragments
  'commitExitViewTransitions',
  'commitFragmentInstanceDeletionEffects',
  'commitFragmentInstanceInsertionEffects',
  'commitNestedViewTransitions',
  'commitNewChildToFragmentInstances',
  'restoreEnterOrExitViewTransitions',
  'restoreNestedViewTransitions',
  'trackEnterViewTransitions',
  // Stylesheets and scripts
  'insertSuspendedStylesheets',
  'preconnect',
  'prefetchDNS',
  'preinitModuleScript',
  'preinitScript',
  'preinitStyle',
  'preload',
  'preloadModule',
  // Form actions, and the indicator of asynchronous actions
  'defaultOnDefaultTransitionIndicator',
  'extractEvents$1',
  'requestFormReset',
])

/** Hooks of form actions and transitions: entries of React's dispatchers. */
const hooks = new Set([
  'useActionState',
  'useFormState',
  'useHostTransitionStatus',
  'useOptimistic',
  'useTransition',
])

/** Objects of which statements at the top level assign members; these statements are removed. */
const assigned = new Set([
  'exports.hydrateRoot',
  'FragmentInstance.prototype',
  'ReactDOMHydrationRoot.prototype.unstable_scheduleHydration',
  'ReactDOMSharedInternals.findDOMNode',
  'ViewTransitionPseudoElement.prototype',
])

interface Edit {
  start: number
  end: number
  text: string
}

const valueOf = (node: unknown): unknown => (node as { value?: unknown } | null)?.value
const nameOf = (node: unknown): string => (node as { name?: string } | null)?.name ?? ''

/** Whether an expression is the kind of a fiber: `fiber.tag`, or a variable to which it is assigned. */
function isTag(node: AstNode): boolean {
  if (node.type === 'MemberExpression') return nameOf(node['property']) === 'tag'
  return node.type === 'Identifier' && ['tag', 'grandTag'].includes(nameOf(node))
}

/** Declarations of the variables (`var`) that a part of a function declares. */
function declareVariables(node: AstNode): string {
  const own = node.type === 'VariableDeclarator' ? `var ${nameOf(node['id'])};` : ''
  return own + childrenOf(node).map(declareVariables).join('')
}

/** The edits that write the facts into the code. The entries that they use are added to `found`. */
function findEdits(code: string, found: Set<string>): Edit[] {
  const edits: Edit[] = []
  const replace = ({ start, end }: AstNode, text: string): void => void edits.push({ start, end, text })
  /** Replaces a node by the value that a list has for a name. */
  const replaceListed = (node: AstNode, list: ReadonlyMap<string, string>, name: string): boolean => {
    const value = list.get(name)
    if (value === undefined) return false
    found.add(name)
    replace(node, value)
    return true
  }
  const isListed = (list: ReadonlySet<string>, name: string): boolean =>
    list.has(name) && found.add(name).has(name)

  /** Where the body of the enclosing function begins. */
  let functionBody = 0

  const visitCases = (cases: readonly AstNode[]): void => {
    let isReachedFromAbove = false
    for (const one of cases) {
      const body = one['consequent'] as AstNode[]
      const isUnused = tags.has(valueOf(one['test']))
      if (isUnused && !isReachedFromAbove) {
        replace(one, '')
        // The other cases use variables that this one declares.
        edits.push({ start: functionBody, end: functionBody, text: declareVariables(one) })
        continue
      }
      if (isUnused) replace(one['test'] as AstNode, '-1')
      body.forEach(visit)
      const last = body.at(-1)
      isReachedFromAbove = !last || !/^(Break|Return|Throw|Continue)Statement$/.test(last.type)
    }
  }

  /** Visits an expression of `===` or `!==`: a comparison with an unused tag has a constant result. */
  const replaceComparison = (node: AstNode): boolean => {
    const operands = [node['left'], node['right']] as AstNode[]
    const isUnused = operands.some((operand) => tags.has(valueOf(operand))) && operands.some(isTag)
    if (!isUnused || !['===', '!=='].includes(String(node['operator']))) return false
    replace(node, String(node['operator'] === '!=='))
    return true
  }

  const visit = (node: AstNode): void => {
    const outerBody = functionBody
    const { type, start } = (node['body'] as AstNode | undefined) ?? { type: '' }
    if (/Function/.test(node.type) && type === 'BlockStatement') functionBody = start! + 1
    visitWithin(node)
    functionBody = outerBody
  }
  const visitWithin = (node: AstNode): void => {
    switch (node.type) {
      case 'FunctionDeclaration':
        if (isListed(functions, nameOf(node['id']))) return replace(node['body'] as AstNode, '{}')
        // A parameter that shadows one of the variables.
        if ((node['params'] as AstNode[]).some((param) => variables.has(nameOf(param)))) return
        break
      case 'ExpressionStatement': {
        const text = code.slice(node.start, node.end)
        const name = [...assigned].find((start) => text.startsWith(start))
        if (name && isListed(assigned, name)) return replace(node, '')
        break
      }
      case 'AssignmentExpression': {
        const left = node['left'] as AstNode
        if (replaceListed(node, variables, nameOf(left))) return
        if (isListed(hooks, nameOf(left['property']))) return replace(node, 'null')
        break
      }
      case 'Property': {
        const value = node['value'] as AstNode
        if (isListed(hooks, nameOf(node['key']))) return replace(value, 'null')
        return visit(value)
      }
      case 'VariableDeclarator':
        // The initial value remains for those of the list: its name is the variable's.
        if (isAstNode(node['init'])) visit(node['init'])
        return
      case 'Identifier':
        return void replaceListed(node, variables, nameOf(node))
      case 'MemberExpression':
        if (node['computed']) break
        if (!replaceListed(node, properties, nameOf(node['property']))) visit(node['object'] as AstNode)
        return
      case 'CallExpression':
        if (replaceListed(node, results, nameOf(node['callee']))) return
        break
      case 'BinaryExpression':
        if (replaceComparison(node)) return
        break
      case 'SwitchStatement':
        if (isTag(node['discriminant'] as AstNode)) return visitCases(node['cases'] as AstNode[])
        break
    }
    childrenOf(node).forEach(visit)
  }
  visit(parse(code))
  return edits
}

function parse(code: string): AstNode {
  return parseSync('react-dom.js', code, { sourceType: 'script' }).program as unknown as AstNode
}

function applyEdits(code: string, edits: readonly Edit[]): string {
  let changed = code
  for (const { start, end, text } of edits.toSorted((a, b) => b.start - a.start))
    changed = changed.slice(0, start) + text + changed.slice(end)
  return changed
}

/** Evaluates constants and drops branches that never run. Names remain. */
function dropDeadBranches(code: string): string {
  const { code: result, errors } = minifySync('react-dom.js', code, {
    module: false,
    mangle: false,
    compress: { target: 'es2022' },
    codegen: { removeWhitespace: false },
  })
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'))
  return result
}

/** Removes the functions at the top level that no statement refers to by name, directly or through other functions. */
function removeUnreferencedFunctions(code: string): string {
  const names = (node: AstNode): string[] => [
    ...(node.type === 'Identifier' ? [nameOf(node)] : []),
    ...childrenOf(node).flatMap(names),
  ]
  const body = parse(code)['body'] as AstNode[]
  const isFunction = ({ type }: AstNode): boolean => type === 'FunctionDeclaration'
  const unreferenced = new Map(body.filter(isFunction).map((node) => [nameOf(node['id']), node]))
  const waiting = body.filter((node) => !isFunction(node)).flatMap(names)
  for (const name of waiting) {
    const node = unreferenced.get(name)
    if (!node) continue
    unreferenced.delete(name)
    waiting.push(...names(node))
  }
  return applyEdits(
    code,
    [...unreferenced.values()].map(({ start, end }) => ({ start, end, text: '' })),
  )
}

/**
 * The code of react-dom's client without what the app does not use. Throws if an entry of the lists is not in the code,
 * so that a new version of React is reviewed.
 */
export function reduceReactDom(code: string): string {
  const found = new Set<string>()
  let reduced = applyEdits(code, findEdits(code, found))
  const lists = [
    ...variables.keys(),
    ...properties.keys(),
    ...results.keys(),
    ...functions,
    ...hooks,
    ...assigned,
  ]
  const missing = lists.filter((name) => !found.has(name))
  if (missing.length > 0) throw new Error(`react-dom no longer contains ${missing.join(', ')}`)
  for (let length = Infinity; reduced.length < length;) {
    length = reduced.length
    reduced = removeUnreferencedFunctions(dropDeadBranches(reduced))
  }
  return reduced
}

/** The code of react-dom's main file without exports that no module uses. */
export function reduceReactDomExports(code: string): string {
  const edits = (parse(code)['body'] as AstNode[]).filter(({ start, end }) =>
    /^exports\.(?!__DOM_INTERNALS|createPortal |flushSync |version )/.test(code.slice(start, end)),
  )
  if (edits.length === 0) throw new Error('react-dom exports its functions in another way')
  return removeUnreferencedFunctions(
    applyEdits(
      code,
      edits.map(({ start, end }) => ({ start, end, text: '' })),
    ),
  )
}

const removedExports =
  /\b(Activity|Profiler|SuspenseList|ViewTransition|hydrateRoot|pre(load|init)(Module)?|preconnect|prefetchDNS|use(ActionState|FormState|FormStatus|Optimistic|Transition))\b/

/** Throws if a module of the app uses what is removed. */
export function checkUse(code: string, path: string): void {
  const imports = [...code.matchAll(/import \{([^}]*)\} from 'react(?:-dom)?(?:\/client)?'/g)]
  const names = imports.map(([, list]) => list).join()
  const member = new RegExp(`^\\s*(?:override |static )*(${lifecycle.join('|')})\\b`, 'm')
  const [, used] = removedExports.exec(names) ?? member.exec(code) ?? []
  if (used) throw new Error(`${path}: bin/removeUnusedReactCode.ts removes ${used} from React`)
}

export function removeUnusedReactCode(): Plugin {
  const reductions: { file: RegExp; reduce: (code: string) => string }[] = [
    { file: /[\\/]react-dom[\\/]cjs[\\/]react-dom-client\.production\.js$/, reduce: reduceReactDom },
    { file: /[\\/]react-dom[\\/]cjs[\\/]react-dom\.production\.js$/, reduce: reduceReactDomExports },
  ]
  return {
    name: 'linnet-remove-unused-react-code',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: [/[\\/]app[\\/].*\.tsx?$/, ...reductions.map(({ file }) => file)] },
      handler(code, id) {
        const reduction = reductions.find(({ file }) => file.test(id))
        if (reduction) return { code: reduction.reduce(code), map: null }
        checkUse(code, id)
        return null
      },
    },
  }
}
