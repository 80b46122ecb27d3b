import { invalid, type AuthError } from '../../auth/http/AuthError.ts'
import { parseUrl } from '../../runtime/parseUrl.ts'

/** Blockchains whose wallets can sign in. */
export type Chain = 'solana' | 'ethereum'

/** A message that a wallet signs for a sign-in (EIP-4361, and the similar format of Solana). */
export interface WalletMessage {
  /** The signed text. */
  raw: string
  domain: string
  address: string
  statement: string | null
  uri: URL
  chainId: string
  issuedAt: Date
  expiresAt: Date | null
  notBefore: Date | null
}

interface Dialect {
  prefix: string
  header: string
  address: RegExp
  invalidAddressMessage: string
  isChain: (id: string) => boolean
}

const dialects: Record<Chain, Dialect> = {
  ethereum: {
    prefix: 'siwe',
    header: ' wants you to sign in with your Ethereum account:',
    address: /^0x[a-fA-F0-9]{40}$/,
    invalidAddressMessage: 'wallet address is not a valid Ethereum address',
    isChain: (id) => /^[+]?\d{1,18}$/.test(id) && Number(id) > 0,
  },
  solana: {
    prefix: 'siws',
    header: ' wants you to sign in with your Solana account:',
    address: /^[a-zA-Z0-9]{32,44}$/,
    invalidAddressMessage: 'wallet address is not in base58 format',
    isChain: (id) => id === '' || /^solana:(main|dev|test|local)net$/.test(id),
  },
}

const domainPattern =
  /^(localhost|(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.)+[a-zA-Z]{2,})(?::\d{1,5})?$/
const timestampPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/

/** Parses a message line by line, as GoTrue does. Throws AuthError 400 with GoTrue's message. */
export function parseWalletMessage(chain: Chain, raw: string): WalletMessage {
  const dialect = dialects[chain]
  const walletError = (message: string): AuthError => invalid(`${dialect.prefix}: ${message}`)
  const lines = raw.split('\n')
  if (lines.length < 6) throw walletError('message needs at least 6 lines')
  const header = lines[0]!
  if (!header.endsWith(dialect.header)) {
    throw walletError(`message first line does not end in "${dialect.header}"`)
  }
  const domain = header.slice(0, -dialect.header.length).trim()
  if (!domainPattern.test(domain)) throw walletError('domain in first line of message is not valid')
  const address = lines[1]!.trim()
  if (!dialect.address.test(address)) throw walletError(dialect.invalidAddressMessage)
  if (lines[2] !== '') throw walletError('third line must be empty')
  const hasStatement = lines[3] !== '' && lines[4] === ''
  const fields = readFields(lines, hasStatement ? 5 : 3, walletError)
  const timestamp = (name: string): Date | null => readTimestamp(fields, name, walletError)

  const uriText = fields.get('URI')
  // Go also accepts a path; here it must be a URL.
  const uri = uriText === undefined ? null : parseUrl(uriText)
  if (uriText !== undefined && !uri) throw walletError('URI is not valid')
  const chainId = fields.get('Chain ID')
  if (chainId !== undefined && !dialect.isChain(chainId)) throw walletError('Chain ID is not valid')
  const [issuedAt, expiresAt, notBefore] = [
    timestamp('Issued At'),
    timestamp('Expiration Time'),
    timestamp('Not Before'),
  ]
  const version = fields.get('Version') ?? ''
  if (version !== '1') throw walletError(`Version value is not supported, expected 1 got "${version}"`)
  if (!issuedAt) throw walletError('Issued At is not specified')
  if (!uri) throw walletError('URI is not specified')
  if (expiresAt && issuedAt > expiresAt) throw walletError('Issued At is after Expiration Time')
  if (expiresAt && notBefore && notBefore > expiresAt)
    throw walletError('Not Before is after Expiration Time')
  return {
    raw,
    domain,
    address,
    statement: hasStatement ? lines[3]! : null,
    uri,
    chainId: chainId ?? '',
    issuedAt,
    expiresAt,
    notBefore,
  }
}

/** Parses lines of "Name: value" and a list of resources; the last value of a name counts. */
function readFields(
  lines: string[],
  start: number,
  walletError: (message: string) => AuthError,
): Map<string, string> {
  const fields = new Map<string, string>()
  let resources = 0
  let inResources = false
  for (let at = start; at < lines.length; at++) {
    const line = lines[at]!.trim()
    if (inResources && line.startsWith('- ')) {
      if (!parseUrl(line.slice(2).trim())) {
        throw walletError(`Resource at position ${resources} has invalid URI`)
      }
      resources++
      continue
    }
    inResources = line === 'Resources:'
    if (inResources || line === '') continue
    const colon = line.indexOf(':')
    if (colon < 0) throw walletError(`encountered unparsable line at index ${at}`)
    fields.set(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  return fields
}

function readTimestamp(
  fields: Map<string, string>,
  name: string,
  walletError: (message: string) => AuthError,
): Date | null {
  const text = fields.get(name)
  if (text === undefined) return null
  const timestamp = new Date(text)
  if (!timestampPattern.test(text) || Number.isNaN(timestamp.getTime())) {
    throw walletError(`${name} is not a valid ISO8601 timestamp`)
  }
  return timestamp
}
