import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../config/ConfigError.ts'
import { replaceFileSync } from '../runtime/durableFiles.ts'
import type { SigningKeys } from './signingKeys.ts'

/** The secrets of one installation, created at its first start. */
export interface Secrets extends SigningKeys {
  /** Signs HS256 tokens and the legacy keys; 40 characters or more. */
  jwtSecret: string
  publishableKey: string
  secretKey: string
  /** Part of the setup link until the workspace is set up. */
  setupToken: string
  /** Opens the administration page, on this machine only. */
  dashboardToken: string
  /** Part of cookie names, since all ports of a host share cookies. */
  installation: string
}

const random = (bytes: number): string => randomBytes(bytes).toString('base64url')

function createSecrets(): Secrets {
  return {
    jwtSecret: random(36),
    signingKey: null,
    standbyKey: null,
    previousKeys: [],
    publishableKey: `sb_publishable_${random(24)}`,
    secretKey: `sb_secret_${random(24)}`,
    setupToken: random(24),
    dashboardToken: random(24),
    installation: randomBytes(4).toString('hex'),
  }
}

export function secretsFile(dataDir: string): string {
  return join(dataDir, 'secrets.json')
}

/** Replaces the stored secrets of a data directory. */
export function saveSecrets(dataDir: string, secrets: Partial<Secrets>): void {
  replaceFileSync(secretsFile(dataDir), `${JSON.stringify(secrets, null, 2)}\n`)
}

/** Null if there is no file yet. Throws ConfigError if it can't be read. */
function readStored(dataDir: string): Partial<Secrets> | null {
  const file = secretsFile(dataDir)
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<Secrets>
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    throw new ConfigError(`${file} ${code === undefined ? 'is not JSON' : `can't be read (${code})`}.`)
  }
}

/** `LINNET_JWT_SECRET`, if set, overrides the stored JWT secret. */
function applyEnvironment(secrets: Secrets): Secrets {
  const override = process.env.LINNET_JWT_SECRET
  if (override === undefined || override === '') return secrets
  if (override.length < 32) throw new ConfigError('LINNET_JWT_SECRET must have at least 32 characters.')
  return { ...secrets, jwtSecret: override }
}

/**
 * The secrets of a data directory; missing ones are created (mode 0600). Throws ConfigError if the file can't be read,
 * which is never replaced, or if the JWT secret is shorter than the 32 characters that HS256 requires (RFC 7518).
 */
export function loadSecrets(dataDir: string): Secrets {
  mkdirSync(dataDir, { recursive: true })
  const stored = readStored(dataDir) ?? {}
  const secrets: Secrets = { ...createSecrets(), ...stored }
  if (Object.keys(secrets).some((key) => !(key in stored))) saveSecrets(dataDir, secrets)
  return applyEnvironment(secrets)
}

/** Like loadSecrets, for a running server: throws ConfigError if the file is missing and creates nothing. */
export function readSecrets(dataDir: string): Secrets {
  const stored = readStored(dataDir)
  if (stored === null) throw new ConfigError(`${secretsFile(dataDir)} is missing.`)
  return applyEnvironment(stored as Secrets)
}

/** Saves the signing keys. All other secrets stay as stored: a JWT secret from the environment is not written. */
export function saveSigningKeys(dataDir: string, keys: SigningKeys): void {
  const { signingKey, standbyKey, previousKeys } = keys
  const stored = JSON.parse(readFileSync(secretsFile(dataDir), 'utf8')) as Secrets
  saveSecrets(dataDir, { ...stored, signingKey, standbyKey, previousKeys })
}
