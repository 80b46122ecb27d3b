import type { Plugin } from 'vite'

/** Code of libraries that Linnet never calls, left out so that no browser has to fetch it. */

/**
 * Whole files: edge functions, storage, passkeys, wallets, catalogues, filters of rows;
 * cookies that the library would read and write by itself; the search for another environment than a browser.
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
 * Methods by the names of their classes; those that the library calls by itself are not among them. Where the properties
 * are named to which a constructor `binds` them, these go too, and of the methods nothing stays, not even the name.
 */
const methods: { file: RegExp; ofClass: RegExp; named: RegExp; binds?: RegExp }[] = [
  {
    // The administration of accounts, but for one: signing out ends the session on the server by it.
    file: /[\\/]auth-js[\\/]dist[\\/]module[\\/]GoTrueAdminApi\.js$/,
    ofClass: /^GoTrueAdminApi$/,
    named: /^(?!constructor$|signOut$)/,
    binds: /^(mfa|oauth|customProviders|passkey|experimental)$/,
  },
  {
    file: /[\\/]auth-js[\\/]dist[\\/]module[\\/]GoTrueClient\.js$/,
    ofClass: /^GoTrueClient$/,
    named:
      /^(signUp|_?setSession|_?updateUser|getUser|verifyOtp|signInWithPassword|signIn(Anonymously|WithOAuth|WithEthereum|WithSolana|WithIdToken|WithSSO|WithPasskey)|_?reauthenticate|resend|_getSessionFromURL|_isImplicitGrantCallback|_isPKCECallback|getUserIdentities|(link|unlink)Identity\w*|_handleProviderSignIn|_getUrlForProvider|fetchJwk|getClaims|registerPasskey|_\w*Passkey\w*|_(un)?enroll\w*|_verify|_challenge\w*|_list\w+|_\w*RecoveryCode\w*|_getAuthenticatorAssuranceLevel|_(getAuthorizationDetails|approveAuthorization|denyAuthorization|revokeOAuthGrant))$/,
  },
  {
    file: /[\\/]postgrest-js[\\/]dist[\\/]index\.mjs$/,
    ofClass: /^Postgrest(Transform|Filter|Query|Client)/,
    named:
      /^(stripNulls|range|csv|geojson|explain|rollback|maxAffected|neq|gte?|lte?|i?like\w*|regexI?Match|isDistinct|notIn|contain\w+|range[A-Z]\w+|overlaps|textSearch|match|not|or|filter|upsert|schema|getOpenApiSpec)$/,
  },
  {
    file: /[\\/]@supabase[\\/]phoenix[\\/]priv[\\/]static[\\/]phoenix\.mjs$/,
    // A browser has WebSocket; who is there is told by heartbeats. The socket's address is put together by Ajax.
    ofClass: /^(LongPoll|Ajax|Presence)$/,
    named: /^(?!appendParams$|serialize$)/,
  },
  {
    file: /[\\/]@supabase[\\/]phoenix[\\/]priv[\\/]static[\\/]phoenix\.mjs$/,
    ofClass: /^Socket$/,
    named: /^connectWithFallback$/,
  },
  {
    // The database speaks, clients don't.
    file: /[\\/]realtime-js[\\/]dist[\\/]module[\\/](RealtimeChannel|lib[\\/]serializer)\.js$/,
    ofClass: /^(RealtimeChannel|Serializer)$/,
    named:
      /^(send|httpSend|track|untrack|_getPayloadRecords|isSamePostgresFilter|_encodeUserBroadcastPush|_binaryEncodeUserBroadcastPush|_encode(Json|Binary)UserBroadcastPush|_pick)$/,
  },
]

/** Functions by their names: traces that nobody collects, and warnings for who writes otherwise. */
const functions: { file: RegExp; named: RegExp }[] = [
  {
    file: /[\\/]supabase-js[\\/]dist[\\/]index\.mjs$/,
    named: /^(getTraceHeaders|getDefaultPropagationTargets|checkApiKeyFormat|checkTopLevelSchemaOption)$/,
  },
  {
    file: /[\\/]auth-js[\\/]dist[\\/]module[\\/]lib[\\/]helpers\.js$/,
    named: /^insecureUserWarningProxy$/,
  },
  {
    // React.Children, which no component uses.
    file: /[\\/]react[\\/]cjs[\\/]react\.production\.js$/,
    named: /^(mapIntoArray|resolveThenable)$/,
  },
  {
    // Cursors: stored rows are read with getAll.
    file: /[\\/]idb[\\/]build[\\/]index\.js$/,
    named: /^iterate$/,
  },
  {
    // The realtime client has a serializer of its own.
    file: /[\\/]@supabase[\\/]phoenix[\\/]priv[\\/]static[\\/]phoenix\.mjs$/,
    named: /^serializer_default\./,
  },
  {
    // Of a server that renders pages.
    file: /[\\/]ssr[\\/]dist[\\/]module[\\/]cookies\.js$/,
    named: /^applyServerStorage$/,
  },
  {
    file: /[\\/]ssr[\\/]dist[\\/]module[\\/]warnDeprecatedPackage\.js$/,
    named: /^warnIfUsingDeprecatedAuthHelpersPackage$/,
  },
]

interface Spot {
  type: string
  start: number
  end: number
  [key: string]: unknown
}

const isSpot = (value: unknown): value is Spot =>
  typeof value === 'object' && value !== null && typeof (value as Spot).type === 'string'

/** Every class of a program, by the name of the variable that holds it or its own. */
function* classesIn(node: Spot, heldBy = ''): Generator<{ name: string; body: Spot[] }> {
  if (node.type === 'ClassDeclaration' || node.type === 'ClassExpression') {
    const name = heldBy || (node['id'] as { name: string } | null)?.name || ''
    yield { name, body: (node['body'] as { body: Spot[] }).body }
    return
  }
  const held = node.type === 'VariableDeclarator' ? String((node['id'] as { name?: string }).name) : heldBy
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isSpot(child)) yield* classesIn(child, held)
    }
  }
}

/** The name in `this.name = …`, where a statement is that. */
function propertySet(statement: Spot): string | undefined {
  const { left } = (statement['expression'] as { left?: { property?: { name?: string } } } | undefined) ?? {}
  return left?.property?.name
}

/** Every top-level function of a program by its name, and methods of its objects as `object.method`, with their bodies. */
function functionsOf(body: readonly unknown[]): { name: string; body: Spot }[] {
  return body.flatMap((node) => {
    const { type, declaration, declarations } = node as Spot & { declaration?: Spot; declarations?: Spot[] }
    if (type === 'ExportNamedDeclaration' && declaration) return functionsOf([declaration])
    const held = type === 'VariableDeclaration' ? (declarations ?? []) : []
    const named = type === 'FunctionDeclaration' ? [node as Spot] : held
    return named.flatMap((one) => {
      const object = one['init'] as (Spot & { properties?: Spot[] }) | null | undefined
      if (object?.type === 'ObjectExpression')
        return (object.properties ?? []).flatMap(({ key, value }) => {
          const within = (value as Spot | undefined)?.['body']
          const name = `${(one['id'] as { name: string }).name}.${(key as { name?: string } | undefined)?.name}`
          return isSpot(within) ? [{ name, body: within }] : []
        })
      const within = ((one['init'] as Spot | null | undefined) ?? one)['body']
      return isSpot(within) ? [{ name: (one['id'] as { name: string }).name, body: within }] : []
    })
  })
}

/** The names that a file of the older form gives out: `exports.name = …`. */
function namesGivenOut(code: string): string[] {
  return [...new Set(Array.from(code.matchAll(/^exports\.(\w+) = /gm), ([, name]) => name!))]
}

/**
 * Leaves out of the client library what is called nowhere. The bundler can't, since methods of classes that we do need
 * name it. An exported thing of a file left out is an empty class, which the library may construct as it starts; a
 * method left out has no body, and whoever awaits its answer meets a TypeError. Throws where a new version of the
 * library has nothing left of what is named here, so that the list is looked at again.
 */
export function leaveOut(): Plugin {
  return {
    name: 'linnet-leave-out',
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
          if (exports.length === 0) exports.push(...namesGivenOut(code).map((name) => `class ${name} {}`))
          return { code: exports.map((text) => `export ${text}\n`).join(''), map: null }
        }
        const cuts: Spot[] = []
        for (const { name, body } of classesIn(program as unknown as Spot)) {
          for (const member of body) {
            const key = (member['key'] as { name?: string } | undefined)?.name ?? ''
            const of = methods.filter(({ file, ofClass }) => file.test(id) && ofClass.test(name))
            if (member.type !== 'MethodDefinition') continue
            const { body } = (member['value'] as { body: Spot }).body as unknown as { body: Spot[] }
            const bound = of.find(({ binds }) => binds)?.binds
            if (bound && key === 'constructor')
              cuts.push(...body.filter((statement) => bound.test(propertySet(statement) ?? '')))
            if (!of.some(({ named }) => named.test(key))) continue
            if (bound) cuts.push(member)
            else cuts.push((member['value'] as { body: Spot }).body)
          }
        }
        for (const { name, body } of functionsOf(program.body)) {
          if (functions.some(({ file, named }) => file.test(id) && named.test(name))) cuts.push(body)
        }
        if (cuts.length === 0) throw new Error(`${id} holds nothing of what is to be left out of it`)
        let rest = code
        for (const { type, start, end } of cuts.toSorted((a, b) => b.start - a.start))
          rest = `${rest.slice(0, start)}${type === 'MethodDefinition' ? '' : '{}'}${rest.slice(end)}`
        return { code: rest, map: null }
      },
    },
  }
}
