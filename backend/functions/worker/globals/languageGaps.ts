import { parseUrl } from '../../../runtime/parseUrl.ts'

type Method = (...args: never[]) => unknown

interface SetLike {
  size: number
  has(value: unknown): boolean
  keys(): Iterator<unknown>
}

function* keysOf(other: SetLike): Generator<unknown> {
  const keys = other.keys()
  for (let next = keys.next(); !next.done; next = keys.next()) yield next.value
}

const setMethods: Record<string, (this: Set<unknown>, other: SetLike) => unknown> = {
  union(other) {
    return new Set([...this, ...keysOf(other)])
  },
  intersection(other) {
    return new Set([...this].filter((value) => other.has(value)))
  },
  difference(other) {
    return new Set([...this].filter((value) => !other.has(value)))
  },
  symmetricDifference(other) {
    const theirs = new Set(keysOf(other))
    return new Set([
      ...[...this].filter((value) => !theirs.has(value)),
      ...[...theirs].filter((value) => !this.has(value)),
    ])
  },
  isSubsetOf(other) {
    return [...this].every((value) => other.has(value))
  },
  isSupersetOf(other) {
    return [...keysOf(other)].every((value) => this.has(value))
  },
  isDisjointFrom(other) {
    return ![...this].some((value) => other.has(value))
  },
}

function groupBy<T>(items: Iterable<T>, keyOf: (item: T, index: number) => unknown): Map<unknown, T[]> {
  const groups = new Map<unknown, T[]>()
  let index = 0
  for (const item of items) {
    const key = keyOf(item, index++)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

async function fromAsync(
  source: AsyncIterable<unknown> | Iterable<unknown> | ArrayLike<unknown>,
  mapped: (value: unknown, index: number) => unknown = (value) => value,
): Promise<unknown[]> {
  const items: unknown[] = []
  const isIterable = Symbol.asyncIterator in source || Symbol.iterator in source
  const each = isIterable ? source : Array.from(source)
  for await (const value of each) items.push(await mapped(value, items.length))
  return items
}

/** Methods that Deno's V8 has and Node 20 lacks, by object. */
const gaps: [object, Record<string, Method>][] = [
  [
    Promise,
    {
      withResolvers() {
        let resolve
        let reject
        // oxlint-disable-next-line promise/param-names, promise/avoid-new -- creates the promise and its resolvers
        const promise = new Promise((yes, no) => {
          resolve = yes
          reject = no
        })
        return { promise, resolve, reject }
      },
      try: async (run: (...args: unknown[]) => unknown, ...args: unknown[]) => run(...args),
    },
  ],
  [Array, { fromAsync }],
  [
    Object,
    {
      groupBy: (items: Iterable<unknown>, keyOf: (item: unknown, index: number) => PropertyKey) =>
        Object.assign(Object.create(null), Object.fromEntries(groupBy(items, keyOf))) as unknown,
    },
  ],
  [Map, { groupBy }],
  [Set.prototype, setMethods as Record<string, Method>],
  [URL, { parse: parseUrl }],
  ...[Request.prototype, Response.prototype, Blob.prototype].map(
    (prototype): [object, Record<string, Method>] => [
      prototype,
      {
        async bytes(this: Blob) {
          return new Uint8Array(await this.arrayBuffer())
        },
      },
    ],
  ),
]

/** Defines language features of Deno that this Node lacks. */
export function fillLanguageGaps(): void {
  for (const [target, methods] of gaps) {
    for (const [name, value] of Object.entries(methods)) {
      if (!(name in target))
        Object.defineProperty(target, name, { value, configurable: true, writable: true })
    }
  }
}
