import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../config/ConfigError.ts'
import type { SigningKeys } from './signingKeys.ts'

/** What one installation keeps to itself, made at its first start. */
export interface Secrets extends SigningKeys {
  /** Signs HS256 tokens and the legacy keys; 40 characters or more. */
  jwtSecret: string
  publishableKey: string
  secretKey: string
  /** Shown in the set-up link until the workspace is founded. */
  setupToken: string
  /** Opens the owner's page, at this machine alone. */
  dashboardToken: string
  /** Names this installation in cookies, since ports share them. */
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

/** Where they lie. */
export function secretsFile(dataDir: string): string {
  return join(dataDir, 'secrets.json')
}

/** Written beside and renamed, so that a crash leaves the old secrets or the new ones, never half a file. */
function saveSecrets(dataDir: string, secrets: Partial<Secrets>): void {
  const file = secretsFile(dataDir)
  writeFileSync(`${file}.new`, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/** Null where there is no file yet. Throws ConfigError where there is one that can't be read. */
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

/** `LINNET_JWT_SECRET` replaces the JWT secret for as long as it is set. */
function applyEnvironment(secrets: Secrets): Secrets {
  const fixed = process.env.LINNET_JWT_SECRET
  if (fixed === undefined || fixed === '') return secrets
  if (fixed.length < 32) throw new ConfigError('LINNET_JWT_SECRET must have at least 32 characters.')
  return { ...secrets, jwtSecret: fixed }
}

/**
 * The secrets of a data folder, made when missing (mode 0600). Throws ConfigError where they can't be read, which
 * never replaces them, and where the JWT secret is shorter than the 32 characters that HS256 asks for (RFC 7518).
 */
export function loadSecrets(dataDir: string): Secrets {
  mkdirSync(dataDir, { recursive: true })
  const stored = readStored(dataDir) ?? {}
  const secrets: Secrets = { ...createSecrets(), ...stored }
  if (Object.keys(secrets).some((key) => !(key in stored))) saveSecrets(dataDir, secrets)
  return applyEnvironment(secrets)
}

/** The same for a server that runs: where the file is missing it throws ConfigError and makes none. */
export function readSecrets(dataDir: string): Secrets {
  const stored = readStored(dataDir)
  if (stored === null) throw new ConfigError(`${secretsFile(dataDir)} is missing.`)
  return applyEnvironment(stored as Secrets)
}

/** Keeps the signing keys beside the others, as stored: a JWT secret from the environment is not written down. */
export function saveSigningKeys(dataDir: string, keys: SigningKeys): void {
  const { signingKey, standbyKey, previousKeys } = keys
  const stored = JSON.parse(readFileSync(secretsFile(dataDir), 'utf8')) as Secrets
  saveSecrets(dataDir, { ...stored, signingKey, standbyKey, previousKeys })
}
