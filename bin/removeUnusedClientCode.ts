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
  /[\\/]realtime-js[\\/]dist[\\/]module[\\/]phoenix[\\/]presenceAdapter\.js$/,
]

/**
 * Methods by class; none that the library itself calls. With `binds`, the properties that the constructor assigns are
 * removed too, and so is the whole method instead of its body.
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
      /^(signUp|_?setSession|_?updateUser|getUser|verifyOtp|signInWithPassword|signIn(Anonymously|WithOAuth|WithEthereum|WithSolana|WithIdToken|WithSSO|WithPasskey)|_?reauthenticate|resend|_getSessionFromURL|_isImplicitGrantCallback|_isPKCECallback|getUserIdentities|(link|unlink)Identity\w*|_handleProviderSignIn|_getUrlForProvider|fetchJwk|getClaims|registerPasskey|_\w*Passkey\w*|_(un)?enroll\w*|_verify|_challenge\w*|_list\w+|_\w*RecoveryCode\w*|_getAuthenticatorAssuranceLevel|_(getAuthorizationDetails|approveAuthorization|denyAuthorization|revokeOAuthGrant))$/,
  },
  {
    file: /[\\/]postgrest-js[\\/]dist[\\/]index\.mjs$/,
    className: /^Postgrest(Transform|Filter|Query|Client)/,
    memberName:
      /^(stripNulls|range|csv|geojson|explain|rollback|maxAffected|neq|gte?|lte?|i?like\w*|regexI?Match|isDistinct|notIn|contain\w+|range[A-Z]\w+|overlaps|textSearch|match|not|or|filter|upsert|schema|getOpenApiSpec)$/,
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
    memberName: /^connectWithFallback$/,
  },
  {
    // Only the database sends broadcasts, clients don't.
    file: /[\\/]realtime-js[\\/]dist[\\/]module[\\/](RealtimeChannel|lib[\\/]serializer)\.js$/,
    className: /^(RealtimeChannel|Serializer)$/,
    memberName:
      /^(send|httpSend|track|untrack|_getPayloadRecords|isSamePostgresFilter|_encodeUserBroadcastPush|_binaryEncodeUserBroadcastPush|_encode(Json|Binary)UserBroadcastPush|_pick)$/,
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

/** Calls of `this._debug(…)` as statements: the library logs nothing unless it is created with `debug`. */
function findLogging(node: AstNode): AstNode[] {
  const call = node['expression'] as { callee?: { property?: { name?: string } } } | undefined
  if (node.type === 'ExpressionStatement' && call?.callee?.property?.name === '_debug') return [node]
  return childrenOf(node).flatMap(findLogging)
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
      filter: { id: [...files, ...[...methods, ...functions].map(({ file }) => file)] },
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
        const cuts: AstNode[] = []
        for (const { name, body } of findClasses(program as unknown as AstNode)) {
          for (const member of body) {
            const key = (member['key'] as { name?: string } | undefined)?.name ?? ''
            const of = methods.filter(({ file, className }) => file.test(id) && className.test(name))
            if (member.type !== 'MethodDefinition') continue
            const { body } = (member['value'] as { body: AstNode }).body as unknown as { body: AstNode[] }
            const bound = of.find(({ binds }) => binds)?.binds
            if (bound && key === 'constructor')
              cuts.push(...body.filter((statement) => bound.test(assignedProperty(statement) ?? '')))
            if (!of.some(({ memberName }) => memberName.test(key))) continue
            if (bound) cuts.push(member)
            else cuts.push((member['value'] as { body: AstNode }).body)
          }
        }
        for (const { name, body } of findFunctions(program.body)) {
          if (functions.some(({ file, memberName }) => file.test(id) && memberName.test(name)))
            cuts.push(body)
        }
        cuts.push(
          ...findLogging(program as unknown as AstNode).filter(
            ({ start }) => !cuts.some((cut) => cut.start <= start && start < cut.end),
          ),
        )
        if (cuts.length === 0) throw new Error(`${id} contains nothing of what is to be removed from it`)
        let rest = code
        for (const { type, start, end } of cuts.toSorted((a, b) => b.start - a.start))
          rest = `${rest.slice(0, start)}${type === 'MethodDefinition' ? '' : '{}'}${rest.slice(end)}`
        return { code: rest, map: null }
      },
    },
  }
}
