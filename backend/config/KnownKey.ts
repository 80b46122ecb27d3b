/**
 * What a key of config.toml holds. A `duration` is a text such as "1m", a `size` one such as "50MiB";
 * `any` is not looked into.
 */
type KeyType = 'string' | 'number' | 'boolean' | 'strings' | 'duration' | 'size' | 'any'

export interface KnownKey {
  type: KeyType
  /** Why it changes nothing here, as a part of a sentence; undefined where it is honoured. */
  unserved?: string
  /** Values of an unserved key that say nothing new: those of the official CLI's templates, old and new. */
  usual?: readonly unknown[]
}

export const honoured = (type: KeyType): KnownKey => ({ type })

export const unserved = (type: KeyType, why: string, ...usual: unknown[]): KnownKey => ({
  type,
  unserved: why,
  usual,
})
