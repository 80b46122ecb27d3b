import { createClient } from '@supabase/supabase-js'
import { describe, expect, it } from 'vitest'
import ws from 'ws'
import { caseOf } from '../../support/caseOf.ts'
import { methodLedger } from './support/methodLedger.ts'

const { auth } = createClient('http://localhost', 'key', {
  // Experimental methods count too.
  auth: {
    persistSession: false,
    autoRefreshToken: false,
    experimental: { passkey: true, recoveryCodes: true },
  },
  realtime: { transport: ws as never },
})

/** Internal objects of a client: transport, storage, logging. */
const own = new Set(['constructor', 'fetch', 'logger'])

/**
 * The methods of an object and its members, as "auth.admin" → ["createUser", …], read from the object itself:
 * types do not tell about a version that is installed later.
 */
function methodsOf(object: object, path: string, seen = new Set<object>()): Record<string, string[]> {
  seen.add(object)
  const methods: string[] = []
  const rooms: Record<string, string[]> = {}
  for (let layer = object; layer !== Object.prototype; layer = Object.getPrototypeOf(layer) as object) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(layer))) {
      if (name.startsWith('_') || own.has(name)) continue
      if (typeof value === 'function') methods.push(name)
      else if (hasMethods(value) && !seen.has(value))
        Object.assign(rooms, methodsOf(value, `${path}.${name}`, seen))
    }
  }
  return { ...(methods.length > 0 ? { [path]: methods.toSorted() } : {}), ...rooms }
}

/** Whether it is an object with methods, and no map, promise, array or storage. */
function hasMethods(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  if (value instanceof Map || value instanceof Promise || Array.isArray(value)) return false
  return !('getItem' in value)
}

describe('the method ledger', () => {
  it('contains every method of the client', () => {
    const listed = Object.entries(methodLedger).map(([member, methods]) => [
      member,
      Object.keys(methods).toSorted(),
    ])
    expect(Object.fromEntries(listed)).toEqual(methodsOf(auth, 'auth'))
  })

  it('names a test that calls each, or why there is none', () => {
    const unshown: string[] = []
    for (const [member, methods] of Object.entries(methodLedger)) {
      for (const [method, entry] of Object.entries(methods)) {
        if (!Array.isArray(entry)) continue
        const text = caseOf(import.meta.dirname, ...entry)
        if (!text?.includes(`.${method}(`)) unshown.push(`${member}.${method}: ${entry.join(', “')}”`)
      }
    }
    expect(unshown).toEqual([])
  })
})
