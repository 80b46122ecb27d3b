/**
 * The type of a key of config.toml. A `duration` is a string such as "1m", a `size` one such as "50MiB";
 * `any` is not checked.
 */
type KeyType = 'string' | 'number' | 'boolean' | 'strings' | 'duration' | 'size' | 'any'

export interface KnownKey {
  type: KeyType
  /** Why the key has no effect on this server, as part of a sentence; undefined if it is supported. */
  unsupported?: string
  /** Values of an unsupported key that need no warning: those of the official CLI's templates, old and new. */
  defaults?: readonly unknown[]
}

export const supported = (type: KeyType): KnownKey => ({ type })

export const unsupported = (type: KeyType, why: string, ...defaults: unknown[]): KnownKey => ({
  type,
  unsupported: why,
  defaults,
})

/** Keys whose values are passwords, keys or codes. Values of these keys are never printed. */
const secretKey =
  /(^|[._])(pass|passphrase|secrets?|auth_token|access_key|api_key|api_secret|jwt_secret|secret_key|root_key|service_role_key)$|^db\.vault\.|^edge_runtime\.secrets\.|^auth\.sms\.test_otp\./

/** Whether the value of the key at a path ("auth.email.smtp.pass") must not be printed. */
export const isSecretKey = (path: string): boolean => secretKey.test(path)
