import type { Plugin } from 'vite'
import { childrenOf, isAstNode, type AstNode } from './astNode.ts'

/** Library code that Linnet never calls, removed from the bundle. */

/**
 * Whole files: edge functions, storage, passkeys, wallets, catalogues, row filters, the library's own handling of cookies,
 * and the detection of other environments than browsers.
 */
const files = [
  /[\\/]functions-js[\\/]dist[\\/]module[\\/]index\.js$/,
  /[\\/]storage-js[\\/]dist[\\/]index\.mjs$/,
  /[\\/]auth-js[\\/]dist[\\/]module[\\/]lib[\\/]webauthn\.js$/,
  /[\\/]auth-js[\\/]dist[\\/]module[\\/]lib[\\/]web3[\\/]ethereum\.js$/,
  /[\\/]realtime-js[\\/]dist[\\/]module[\\/]RealtimePostgresFilterBuilder\.js$/,
  /[\\/]iceberg-js[\\/]dist[\\/]index\.mjs$/,
  /[\\/]cookie[\\/]dist[\\/]index\.js$/,
  /[\\/]realtime-js[\\/]dist[\\/]module[\\/]lib[\\/]websocket-factory\.js$/,
  /[\\/]realtime-js[\\/]dist[\\/]module[\\/]RealtimePresence\.js$/,
]

/**
 * Methods and accessors by class; none that the library itself calls. One that the rest of its file refers to keeps an
 * empty body. With `binds`, the properties that the constructor assigns are removed too.
 */
const methods: { file: RegExp; className: RegExp; memberName: RegExp; binds?: RegExp }[] = [
  {
    // The administration of accounts, except signOut, which ends the session on the server.
    file: /[\\/]auth-js[\\/]dist[\\/]module[\\/]GoTrueAdminApi\.js$/,
    className: /^GoTrueAdminApi$/,
    memberName: /^(?!constructor$|signOut$)/,
    binds: /^(mfa|oauth|customProviders|passkey|experimental)$/,
  },
  {
    file: /[\\/]auth-js[\\/]dist[\\/]module[\\/]GoTrueClient\.js$/,
    className: /^GoTrueClient$/,
    memberName:
      /^(jwks|jwks_cached_at|isThrowOnErrorEnabled|_logPrefix|_debug|_acquireLock|signInWithWeb3|stopAutoRefresh|dispose|signUp|_?setSession|_?updateUser|getUser|verifyOtp|signInWithPassword|signIn(Anonymously|WithOAuth|WithEthereum|WithSolana|WithIdToken|WithSSO|WithPasskey)|_?reauthenticate|resend|_getSessionFromURL|_isImplicitGrantCallback|_isPKCECallback|getUserIdentities|(link|unlink)Identity\w*|_handleProviderSignIn|_getUrlForProvider|fetchJwk|getClaims|registerPasskey|_\w*Passkey\w*|_(un)?enroll\w*|_verify|_challenge\w*|_list\w+|_\w*RecoveryCode\w*|_getAuthenticatorAssuranceLevel|_(getAuthorizationDetails|approveAuthorization|denyAuthorization|revokeOAuthGrant))$/,
    binds: /^(mfa|oauth|passkey|logger|logDebugMessages|throwOnError|lockAcquireTimeout|pendingInLock)$/,
  },
  {
    file: /[\\/]postgrest-js[\\/]dist[\\/]index\.mjs$/,
    className: /^Postgrest(Transform|Filter|Query|Client)/,
    memberName:
      /^(stripNulls|range|csv|geojson|explain|rollback|maxAffected|neq|gte?|lte?|i?like\w*|regexI?Match|isDistinct|notIn|contain\w+|range[A-Z]\w+|overlaps|textSearch|match|not|or|filter|upsert|schema|getOpenApiSpec|throwOnError|setHeader|returns)$/,
  },
  {
    file: /[\\/]@supabase[\\/]phoenix[\\/]priv[\\/]static[\\/]phoenix\.mjs$/,
    // Browsers have WebSocket, and presence uses heartbeats. Ajax builds the URL of the socket.
    className: /^(LongPoll|Ajax|Presence)$/,
    memberName: /^(?!appendParams$|serialize$)/,
  },
  {
    file: /[\\/]@supabase[\\/]phoenix[\\/]priv[\\/]static[\\/]phoenix\.mjs$/,
    className: /^Socket$/,
    memberName:
      /^(connectWithFallback|getLongPollTransport|replaceTransport|ping|transportName|(get|store)Session|hasLogger)$/,
    binds:
      /^(defaultEncoder|defaultDecoder|sessionStore|fallbackRef|primaryPassedHealthCheck|longPollFallbackMs|longpollerTimeout|logger)$/,
  },
  {
    file: /[\\/]realtime-js[\\/]dist[\\/]module[\\/]RealtimeClient\.js$/,
    className: /^RealtimeClient$/,
    memberName:
      /^(endPoint|transport|heartbeatCallback|heartbeatTimer|pendingHeartbeatRef|reconnectTimer|vsn|encode|decode|reconnectAfterMs|sendBuffer|stateChangeCallbacks|endpointURL|hasLogger|connectionState|push|_makeRef|_workerObjectUrl)$/,
    binds: /^(httpEndpoint|headers|params|ref)$/,
  },
  {
    file: /[\\/]realtime-js[\\/]dist[\\/]module[\\/]phoenix[\\/]socketAdapter\.js$/,
    className: /^SocketAdapter$/,
    memberName:
      /^(endPoint|transport|heartbeatTimer|pendingHeartbeatRef|reconnectTimer|vsn|encode|decode|reconnectAfterMs|sendBuffer|stateChangeCallbacks|push|hasLogger|makeRef)$/,
  },
  {
    file: /[\\/]realtime-js[\\/]dist[\\/]module[\\/]phoenix[\\/]channelAdapter\.js$/,
    className: /^ChannelAdapter$/,
    memberName: /^(rejoinTimer|off|canPush|isLeaving|getChannel)$/,
  },
  {
    file: /[\\/]supabase-js[\\/]dist[\\/]index\.mjs$/,
    className: /^SupabaseClient$/,
    memberName: /^(functions|schema|getOpenApiSpec|getChannels)$/,
    binds: /^(storage|storageUrl|functionsUrl|functionsFetch)$/,
  },
  {
    // Only the database sends broadcasts, clients don't.
    file: /[\\/]realtime-js[\\/]dist[\\/]module[\\/](RealtimeChannel|lib[\\/]serializer)\.js$/,
    className: /^(RealtimeChannel|Serializer)$/,
    memberName:
      /^(send|httpSend|track|untrack|presenceState|rejoinTimer|copyBindings|_fetchWithTimeout|_getPayloadRecords|isSamePostgresFilter|_encodeUserBroadcastPush|_binaryEncodeUserBroadcastPush|_encode(Json|Binary)UserBroadcastPush|_pick)$/,
    binds: /^(presence|broadcastEndpointURL)$/,
  },
]

/** Functions: tracing that is not used, and warnings for developers. */
const functions: { file: RegExp; memberName: RegExp }[] = [
  {
    file: /[\\/]supabase-js[\\/]dist[\\/]index\.mjs$/,
    memberName:
      /^(getTraceHeaders|getDefaultPropagationTargets|checkApiKeyFormat|checkTopLevelSchemaOption)$/,
  },
  {
    file: /[\\/]auth-js[\\/]dist[\\/]module[\\/]lib[\\/]helpers\.js$/,
    memberName: /^insecureUserWarningProxy$/,
  },
  {
    file: /[\\/]auth-js[\\/]dist[\\/]module[\\/]lib[\\/]polyfills\.js$/,
    memberName: /^polyfillGlobalThis$/,
  },
  {
    // React.Children, which no component uses.
    file: /[\\/]react[\\/]cjs[\\/]react\.production\.js$/,
    memberName: /^(mapIntoArray|resolveThenable)$/,
  },
  {
    // Cursors: stored rows are read with getAll.
    file: /[\\/]idb[\\/]build[\\/]index\.js$/,
    memberName: /^iterate$/,
  },
  {
    // The realtime client has a serializer of its own.
    file: /[\\/]@supabase[\\/]phoenix[\\/]priv[\\/]static[\\/]phoenix\.mjs$/,
    memberName: /^serializer_default\./,
  },
  {
    // For server-side rendering.
    file: /[\\/]ssr[\\/]dist[\\/]module[\\/]cookies\.js$/,
    memberName: /^applyServerStorage$/,
  },
  {
    file: /[\\/]ssr[\\/]dist[\\/]module[\\/]warnDeprecatedPackage\.js$/,
    memberName: /^warnIfUsingDeprecatedAuthHelpersPackage$/,
  },
]

/**
 * Expressions that always have this value here, as they stand in the library's code. `if (…)` is the condition of that
 * statement, `name =` the initial value of that variable, and `name ||` the statement that fills that enumeration.
 */
const values: { file: RegExp; values: Record<string, string> }[] = [
  {
    file: /[\\/]auth-js[\\/]dist[\\/]module[\\/]GoTrueClient\.js$/,
    values: {
      // Options that `app/data/client/supabase.ts` does not set.
      'this.lock': 'null',
      'settings.lock': 'null',
      'this.userStorage': 'null',
      'settings.userStorage': 'null',
      'settings.debug': 'false',
      'settings.skipAutoInitialize': 'false',
      'this.logDebugMessages': 'false',
      'this.throwOnError': 'false',
      'this.detectSessionInUrl': 'false',
      'this.hasCustomAuthorizationHeader': 'false',
      'this.storage.isServer': 'false',
      // What its text explains cannot occur without userStorage: a stored session without a user is completed or renewed.
      'userNotAvailableProxy()': '{ __isUserNotAvailableProxy: true }',
      'this.experimental.appendPkceFlowIdToRedirects': 'false',
      // The callback page exchanges codes.
      'this._isImplicitGrantCallback(params)': 'false',
      'await this._isPKCECallback(params)': 'false',
      // For getClaims, which is removed.
      '!this.jwks': 'false',
      // Warnings for developers, and other environments.
      'this.instanceID > 0': 'false',
      'isBrowser()': 'true',
      'supportsLocalStorage()': 'false',
      "typeof Deno !== 'undefined'": 'false',
      "typeof ticker.unref === 'function'": 'false',
      "typeof timeout.unref === 'function'": 'false',
      'window === null || window === void 0 ? void 0 : window.addEventListener': 'true',
      'window === null || window === void 0 ? void 0 : window.removeEventListener': 'true',
    },
  },
  {
    file: /[\\/]auth-js[\\/]dist[\\/]module[\\/]lib[\\/]helpers\.js$/,
    values: {
      "typeof crypto === 'undefined'": 'false',
      "typeof crypto !== 'undefined'": 'true',
      "typeof crypto.getRandomValues === 'function'": 'true',
    },
  },
  {
    file: /[\\/]auth-js[\\/]dist[\\/]module[\\/]lib[\\/]base64url\.js$/,
    values: { 'TO_BASE64URL =': 'null', 'IGNORE_BASE64URL =': 'null', 'FROM_BASE64URL =': 'null' },
  },
  {
    file: /[\\/]auth-js[\\/]dist[\\/]module[\\/]lib[\\/]locks\.js$/,
    values: { 'supportsLocalStorage()': 'false', globalThis: 'false' },
  },
  {
    file: /[\\/]postgrest-js[\\/]dist[\\/]index\.mjs$/,
    values: {
      _objectSpread2: 'Object.assign',
      'this.shouldThrowOnError': 'false',
      '_this2.shouldThrowOnError': 'false',
      'this.shouldStripNulls': 'false',
      // Causes of an error, which Node has, and advice on long addresses.
      'cause =': 'undefined',
      'urlLength > this.urlLengthLimit': 'false',
      // Formats other than JSON, and reading calls.
      '_this2.headers.get("Accept") === "text/csv"': 'false',
      '_this2.headers.get("Accept")': 'undefined',
      _hasObjectArg: 'false',
      'head || get': 'false',
      'timeout === void 0': 'true',
    },
  },
  {
    file: /[\\/]realtime-js[\\/]dist[\\/]module[\\/]RealtimeChannel\.js$/,
    values: {
      'filterValue instanceof RealtimePostgresFilterBuilder': 'false',
      "'ids' in payload": 'false',
      'REALTIME_POSTGRES_CHANGES_LISTEN_EVENT ||': '',
    },
  },
  {
    file: /[\\/]realtime-js[\\/]dist[\\/]module[\\/]lib[\\/]transformers\.js$/,
    values: { 'PostgresTypes ||': '' },
  },
  {
    file: /[\\/]realtime-js[\\/]dist[\\/]module[\\/]RealtimeClient\.js$/,
    values: {
      'this._workerObjectUrl(this.workerUrl)': 'this.workerUrl',
      'resolveSessionStorage()': 'undefined',
      'WebSocketFactory.getWebSocketConstructor()': 'undefined',
      "typeof window !== 'undefined' && !window.Worker": 'false',
      'options.logLevel': 'undefined',
      'options.log_level': 'undefined',
    },
  },
  {
    file: /[\\/]@supabase[\\/]phoenix[\\/]priv[\\/]static[\\/]phoenix\.mjs$/,
    values: {
      'this.socket.hasLogger()': 'false',
      'this.hasLogger()': 'false',
      // Browsers have WebSocket; long polling would serialize otherwise.
      'opts.transport || global.WebSocket || LongPoll': 'opts.transport',
      'this.transport !== LongPoll': 'true',
      'this.longPollFallbackMs': 'undefined',
      'this.longpollerTimeout': 'undefined',
      'opts.encode || this.defaultEncoder': 'opts.encode',
      'opts.decode || this.defaultDecoder': 'opts.decode',
      'global.sessionStorage': 'null',
      'phxWindow && phxWindow.addEventListener': 'true',
      'opts.debug': 'false',
      'this.logger': 'null',
    },
  },
  {
    file: /[\\/]supabase-js[\\/]dist[\\/]index\.mjs$/,
    values: {
      _objectSpread2: 'Object.assign',
      'typeof Deno !== "undefined"': 'false',
      'typeof document !== "undefined"': 'true',
      'shouldShowDeprecationWarning()': 'false',
      'settings.accessToken': 'undefined',
      'options.accessToken': 'undefined',
      'this.accessToken': 'undefined',
      '_this.accessToken': 'undefined',
      'settings.tracePropagation': 'undefined',
      'normalizeTracePropagation(options.tracePropagation)': 'undefined',
      'normalizeTracePropagation(defaults.tracePropagation)': 'undefined',
      traceEnabled: 'false',
      traceTargets: 'null',
    },
  },
  {
    file: /[\\/]ssr[\\/]dist[\\/]module[\\/]cookies\.js$/,
    values: {
      isServerClient: 'false',
      'if (cookies)': 'true',
      '"get" in cookies': 'false',
      '"getAll" in cookies': 'true',
      '"setAll" in cookies': 'true',
      'cookieEncoding === "base64url"': 'true',
      'removeCookieOptions.domain': 'undefined',
    },
  },
  {
    file: /[\\/]ssr[\\/]dist[\\/]module[\\/]createBrowserClient\.js$/,
    values: {
      shouldUseSingleton: 'false',
      '!supabaseUrl || !supabaseKey': 'false',
      'options?.auth?.storage': 'undefined',
      '"encode" in options.cookies': 'false',
      'isBrowser()': 'true',
    },
  },
]

/** All classes of a program, by the name of their variable or their own name. */
function* findClasses(node: AstNode, variableName = ''): Generator<{ name: string; body: AstNode[] }> {
  if (node.type === 'ClassDeclaration' || node.type === 'ClassExpression') {
    const name = variableName || (node['id'] as { name: string } | null)?.name || ''
    yield { name, body: (node['body'] as { body: AstNode[] }).body }
    return
  }
  const nameInScope =
    node.type === 'VariableDeclarator' ? String((node['id'] as { name?: string }).name) : variableName
  for (const child of childrenOf(node)) yield* findClasses(child, nameInScope)
}

/**
 * Calls of `this._debug(…)` and `this.log(…)` as statements: the library logs nothing unless it is created with `debug`
 * or a `logger`.
 */
function findLogging(node: AstNode, code: string): AstNode[] {
  const isLogging = /^(this\._debug|this(\.socket)?\.log|console\.warn)\(/
  if (node.type === 'ExpressionStatement' && isLogging.test(code.slice(node.start, node.end))) return [node]
  return childrenOf(node).flatMap((child) => findLogging(child, code))
}

interface Edit {
  start: number
  end: number
  text: string
}

/** Writes the values of a list into the code. Each must be in it. */
function findValues(program: AstNode, code: string, list: Record<string, string>): Edit[] {
  const edits: Edit[] = []
  const found = new Set<string>()
  const replaceListed = (key: string, { start, end }: AstNode): boolean => {
    const text = Object.hasOwn(list, key) ? list[key] : undefined
    if (text === undefined) return false
    found.add(key)
    edits.push({ start, end, text })
    return true
  }
  const visit = (node: AstNode): void => {
    const source = code.slice(node.start, node.end)
    switch (node.type) {
      case 'VariableDeclarator': {
        const init = node['init']
        const { name } = node['id'] as { name?: string }
        if (isAstNode(init) && !replaceListed(`${name} =`, init)) visit(init)
        return
      }
      case 'IfStatement': {
        const test = node['test'] as AstNode
        if (!replaceListed(`if (${code.slice(test.start, test.end)})`, test)) visit(test)
        for (const branch of [node['consequent'], node['alternate']]) if (isAstNode(branch)) visit(branch)
        return
      }
      case 'ExpressionStatement': {
        const [, name] = /\)\((\w+) \|\| \(\1 = \{\}\)\);?$/.exec(source) ?? []
        if (name && replaceListed(`${name} ||`, node)) return
        break
      }
      case 'AssignmentExpression':
        // What is assigned to is no value.
        return visit(node['right'] as AstNode)
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        return visit(node['body'] as AstNode)
      case 'Property':
        return visit(node['value'] as AstNode)
      case 'MemberExpression':
        if (!replaceListed(source, node)) visit(node['object'] as AstNode)
        return
    }
    if (/Expression$|^Identifier$/.test(node.type) && replaceListed(source, node)) return
    childrenOf(node).forEach(visit)
  }
  visit(program)
  const missing = Object.keys(list).filter((key) => !found.has(key))
  if (missing.length > 0) throw new Error(`the client library no longer contains ${missing.join(', ')}`)
  return edits
}

function applyEdits(code: string, edits: readonly Edit[]): string {
  const outer = edits.filter(
    (edit) => !edits.some((other) => other !== edit && other.start <= edit.start && edit.end <= other.end),
  )
  let changed = code
  for (const { start, end, text } of outer.toSorted((a, b) => b.start - a.start))
    changed = changed.slice(0, start) + text + changed.slice(end)
  return changed
}

/** The name in the statement `this.name = …`. */
function assignedProperty(statement: AstNode): string | undefined {
  const { left } = (statement['expression'] as { left?: { property?: { name?: string } } } | undefined) ?? {}
  return left?.property?.name
}

/** The bodies of all top-level functions of a program by name, and of methods of its objects as `object.method`. */
function findFunctions(body: readonly unknown[]): { name: string; body: AstNode }[] {
  return body.flatMap((node) => {
    const { type, declaration, declarations } = node as AstNode & {
      declaration?: AstNode
      declarations?: AstNode[]
    }
    if (type === 'ExportNamedDeclaration' && declaration) return findFunctions([declaration])
    const variables = type === 'VariableDeclaration' ? (declarations ?? []) : []
    const declared = type === 'FunctionDeclaration' ? [node as AstNode] : variables
    return declared.flatMap((one) => {
      const { name } = one['id'] as { name: string }
      const object = one['init'] as (AstNode & { properties?: AstNode[] }) | null | undefined
      if (object?.type === 'ObjectExpression')
        return (object.properties ?? []).flatMap(({ key, value }) => {
          const methodBody = (value as AstNode | undefined)?.['body']
          const method = (key as { name?: string } | undefined)?.name
          return isAstNode(methodBody) ? [{ name: `${name}.${method}`, body: methodBody }] : []
        })
      const functionBody = (object ?? one)['body']
      return isAstNode(functionBody) ? [{ name, body: functionBody }] : []
    })
  })
}

/** The exported names of a CommonJS file: `exports.name = …`. */
function exportedNames(code: string): string[] {
  return [...new Set(Array.from(code.matchAll(/^exports\.(\w+) = /gm), ([, name]) => name!))]
}

/**
 * Removes unused code of the client library, which the bundler can't remove, since methods of used classes refer to it.
 * Exports of a removed file become empty classes, which the library may construct at startup; removed methods have no
 * body. Throws if a new version of the library contains none of a file's entries, so that the list is reviewed.
 */
export function removeUnusedClientCode(): Plugin {
  return {
    name: 'linnet-remove-unused-client-code',
    apply: 'build',
    transform: {
      filter: { id: [...files, ...[...methods, ...functions, ...values].map(({ file }) => file)] },
      handler(code, id) {
        const program = this.parse(code)
        if (files.some((file) => file.test(id))) {
          const exports = program.body.flatMap((node) => {
            if (node.type === 'ExportDefaultDeclaration') return ['default class {}']
            if (node.type !== 'ExportNamedDeclaration') return []
            const declared = node.declaration
            const names =
              declared?.type === 'VariableDeclaration'
                ? declared.declarations.map(({ id }) => (id.type === 'Identifier' ? id.name : ''))
                : declared && 'id' in declared && declared.id?.type === 'Identifier'
                  ? [declared.id.name]
                  : node.specifiers.map(({ exported }) =>
                      exported.type === 'Identifier' ? exported.name : '',
                    )
            return names.map((name) => `class ${name} {}`)
          })
          if (exports.length === 0) exports.push(...exportedNames(code).map((name) => `class ${name} {}`))
          return { code: exports.map((text) => `export ${text}\n`).join(''), map: null }
        }
        const edits: Edit[] = []
        const members: { key: string; member: AstNode; body: AstNode }[] = []
        for (const { name, body } of findClasses(program as unknown as AstNode)) {
          const of = methods.filter(({ file, className }) => file.test(id) && className.test(name))
          for (const member of body) {
            const key = (member['key'] as { name?: string } | undefined)?.name ?? ''
            if (member.type !== 'MethodDefinition') continue
            const memberBody = (member['value'] as { body: AstNode }).body
            const statements = (memberBody as unknown as { body: AstNode[] }).body
            const binds = of.flatMap((one) => (key === 'constructor' && one.binds ? [one.binds] : []))
            for (const { start, end } of statements.filter((statement) =>
              binds.some((bound) => bound.test(assignedProperty(statement) ?? '')),
            ))
              edits.push({ start, end, text: '' })
            if (of.some(({ memberName }) => memberName.test(key)))
              members.push({ key, member, body: memberBody })
          }
        }
        for (const { name, body } of findFunctions(program.body)) {
          if (functions.some(({ file, memberName }) => file.test(id) && memberName.test(name)))
            edits.push({ start: body.start, end: body.end, text: '{}' })
        }
        for (const { start, end } of findLogging(program as unknown as AstNode, code))
          edits.push({ start, end, text: '{}' })
        for (const { file, values: list } of values)
          if (file.test(id)) edits.push(...findValues(program as unknown as AstNode, code, list))
        const removed = members.map(({ member: { start, end } }) => ({ start, end, text: '' }))
        const rest = applyEdits(code, [...edits, ...removed]).replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*/gm, '')
        for (const { key, member, body } of members)
          edits.push(
            new RegExp(`\\.${key}\\b`).test(rest)
              ? { start: body.start, end: body.end, text: '{}' }
              : { start: member.start, end: member.end, text: '' },
          )
        if (edits.length === 0) throw new Error(`${id} contains nothing of what is to be removed from it`)
        return { code: applyEdits(code, edits), map: null }
      },
    },
  }
}
