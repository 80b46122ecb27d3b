import { ed25519 } from '@noble/curves/ed25519.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startAuth, startDatabase, type AuthDatabase, type AuthServer } from './support/startAuth.ts'

const site = 'https://app.example.com/'
const on = `[auth.web3.solana]\nenabled = true\n[auth.web3.ethereum]\nenabled = true\n`

let database: AuthDatabase
let auth: AuthServer

beforeAll(async () => {
  database = await startDatabase()
  auth = await startAuth(database, `[auth]\nadditional_redirect_urls = ["https://app.example.com/**"]\n${on}`)
})
afterAll(async () => {
  await auth.stop()
  await database.stop()
})

/** Bitcoin's base 58, implemented differently than in the service. */
function base58(bytes: Uint8Array): string {
  const letters = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
  let number = BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`)
  let text = ''
  for (; number > 0n; number /= 58n) text = letters[Number(number % 58n)] + text
  return '1'.repeat(bytes.findIndex((byte) => byte !== 0)) + text
}

interface Wallet {
  address: string
  sign(text: string): string
}

function solanaWallet(envelope = false): Wallet {
  const secret = ed25519.utils.randomSecretKey()
  const key = ed25519.getPublicKey(secret)
  return {
    address: base58(key),
    sign(text) {
      const raw = Buffer.from(text)
      const domain = Buffer.alloc(32)
      domain.write('app.example.com')
      const length = Buffer.from([raw.length & 255, raw.length >> 8])
      const shown = Buffer.concat([
        Buffer.from('\u00ffsolana offchain\u0000', 'latin1'),
        domain,
        Buffer.from([0, 1]),
        key,
        length,
        raw,
      ])
      return Buffer.from(ed25519.sign(envelope ? shown : raw, secret)).toString('base64')
    },
  }
}

function ethereumWallet(): Wallet {
  const secret = secp256k1.utils.randomSecretKey()
  const key = secp256k1.getPublicKey(secret, false)
  return {
    address: `0x${Buffer.from(keccak_256(key.subarray(1)).subarray(12)).toString('hex')}`,
    sign(text) {
      const raw = Buffer.from(text)
      const digest = keccak_256(
        Buffer.concat([Buffer.from(`\u0019Ethereum Signed Message:\n${raw.length}`), raw]),
      )
      const signed = secp256k1.sign(digest, secret, { prehash: false, format: 'recovered' })
      const [recovery, ...rest] = signed
      return `0x${Buffer.from([...rest, recovery! + 27]).toString('hex')}`
    },
  }
}

const chains = {
  solana: { name: 'Solana', wallet: () => solanaWallet(), network: 'solana:mainnet', prefix: 'siws' },
  ethereum: { name: 'Ethereum', wallet: ethereumWallet, network: '1', prefix: 'siwe' },
} as const
type ChainName = keyof typeof chains

interface Parts {
  domain: string
  uri: string
  fields: Record<string, string | null>
  statement: string[]
}

function write(chain: ChainName, address: string, parts: Partial<Parts> = {}): string {
  const fields: Record<string, string | null> = {
    Version: '1',
    URI: parts.uri ?? site,
    'Issued At': new Date().toISOString(),
    'Chain ID': chains[chain].network,
    Nonce: 'abcdefgh',
    ...parts.fields,
  }
  return [
    `${parts.domain ?? 'app.example.com'} wants you to sign in with your ${chains[chain].name} account:`,
    address,
    '',
    ...(parts.statement ?? ['I accept.', '']),
    ...Object.entries(fields)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${name}: ${value}`),
  ].join('\n')
}

const bring = (json: unknown) => auth.request('/token?grant_type=web3', { json })
const later = (ms: number): string => new Date(Date.now() + ms).toISOString()

describe.each(['solana', 'ethereum'] as const)('%s', (chain) => {
  const { name, prefix } = chains[chain]

  it('signs in with a wallet, as the same user each time', async () => {
    const wallet = chains[chain].wallet()
    const enter = async () => {
      const message = write(chain, wallet.address)
      const client = auth.client()
      // The client expects bytes for Solana, and hex for Ethereum.
      const text = wallet.sign(message)
      const signature = chain === 'solana' ? Uint8Array.from(Buffer.from(text, 'base64')) : text
      const { data, error } = await client.auth.signInWithWeb3({ chain, message, signature } as never)
      expect(error).toBeNull()
      return data
    }
    const { user, session } = await enter()
    expect(user).toMatchObject({ email: '', app_metadata: { provider: 'web3', providers: ['web3'] } })
    expect(user!.is_anonymous).toBe(false)
    expect(user!.identities).toMatchObject([
      {
        provider: 'web3',
        id: `web3:${chain}:${wallet.address}`,
        identity_data: {
          sub: `web3:${chain}:${wallet.address}`,
          email_verified: false,
          custom_claims: {
            address: wallet.address,
            chain,
            domain: 'app.example.com',
            statement: 'I accept.',
          },
        },
      },
    ])
    const claims = JSON.parse(Buffer.from(session!.access_token.split('.')[1]!, 'base64url').toString()) as {
      amr: unknown
    }
    expect(claims.amr).toMatchObject([{ method: 'web3' }])
    expect((await enter()).user!.id).toBe(user!.id)
  })

  it('signs in with the client’s wallet method', async () => {
    const wallet = chains[chain].wallet()
    const solana = {
      publicKey: { toBase58: () => wallet.address },
      signMessage: async (bytes: Uint8Array) =>
        Uint8Array.from(Buffer.from(wallet.sign(Buffer.from(bytes).toString()), 'base64')),
    }
    const ethereum = {
      request: async ({ method, params }: { method: string; params?: [string] }) => {
        if (method === 'eth_requestAccounts') return [wallet.address]
        if (method === 'eth_chainId') return '0x1'
        return wallet.sign(Buffer.from(params![0].slice(2), 'hex').toString())
      },
      on: () => {},
      removeListener: () => {},
    }
    const { data, error } = await auth.client().auth.signInWithWeb3({
      chain,
      statement: 'I accept.',
      wallet: chain === 'solana' ? solana : ethereum,
      options: { url: site },
    } as never)
    expect(error).toBeNull()
    expect(data.user!.app_metadata.provider).toBe('web3')
  })

  const bad: [what: string, parts: Partial<Parts>, message: string][] = [
    ['a domain that is none', { domain: 'app example' }, 'domain in first line of message is not valid'],
    [
      'an address of numbers for a domain',
      { domain: '10.0.0.1' },
      'domain in first line of message is not valid',
    ],
    ['no version', { fields: { Version: null } }, 'Version value is not supported, expected 1 got ""'],
    ['another version', { fields: { Version: '2' } }, 'Version value is not supported, expected 1 got "2"'],
    ['no moment', { fields: { 'Issued At': null } }, 'Issued At is not specified'],
    [
      'a moment that is none',
      { fields: { 'Issued At': 'now' } },
      'Issued At is not a valid ISO8601 timestamp',
    ],
    ['a day alone', { fields: { 'Issued At': '2026-01-01' } }, 'Issued At is not a valid ISO8601 timestamp'],
    [
      'an end that is none',
      { fields: { 'Expiration Time': 'x' } },
      'Expiration Time is not a valid ISO8601 timestamp',
    ],
    [
      'a beginning that is none',
      { fields: { 'Not Before': 'x' } },
      'Not Before is not a valid ISO8601 timestamp',
    ],
    ['no address of a site', { fields: { URI: null } }, 'URI is not specified'],
    ['a site that is none', { uri: 'app' }, 'URI is not valid'],
    ['a network that is none', { fields: { 'Chain ID': 'x' } }, 'Chain ID is not valid'],
    [
      'an end before it was issued',
      { fields: { 'Expiration Time': later(-60_000) } },
      'Issued At is after Expiration Time',
    ],
    [
      'an end before its beginning',
      { fields: { 'Expiration Time': later(60_000), 'Not Before': later(120_000) } },
      'Not Before is after Expiration Time',
    ],
    ['a line without a field', { statement: ['a', 'b', 'c'] }, 'encountered unparsable line at index 3'],
    [
      'a resource that is none',
      { fields: { Resources: '\n- nothing' } },
      'Resource at position 0 has invalid URI',
    ],
  ]
  it.each(bad)('rejects a message with %s', async (_, parts, message) => {
    const wallet = chains[chain].wallet()
    const text = write(chain, wallet.address, parts)
    const response = await bring({ chain, message: text, signature: wallet.sign(text) })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error_code: 'validation_failed',
      msg: `${prefix}: ${message}`,
    })
  })

  const meant: [what: string, parts: Partial<Parts>, message: string][] = [
    [
      'without TLS',
      { uri: 'http://app.example.com/' },
      `Signed ${name} message is using URI which does not use HTTPS`,
    ],
    [
      'for another site',
      { uri: 'https://evil.example/', domain: 'evil.example' },
      `Signed ${name} message is using URI which is not allowed on this server, message was signed for another app`,
    ],
    [
      'for a site by the address, and another by its name',
      { domain: 'evil.example' },
      `Signed ${name} message is using a Domain that does not match the one in URI which is not allowed on this server`,
    ],
    [
      'for tomorrow',
      { fields: { 'Not Before': later(3_600_000) } },
      `Signed ${name} message becomes valid in the future`,
    ],
    [
      'that has ended',
      { fields: { 'Issued At': later(-120_000), 'Expiration Time': later(-60_000) } },
      `Signed ${name} message is expired`,
    ],
    ['of long ago', { fields: { 'Issued At': later(-601_000) } }, `${name} message was issued too long ago`],
    [
      'by a clock far ahead',
      { fields: { 'Issued At': later(660_000) } },
      `${name} message was issued too far in the future`,
    ],
  ]
  it.each(meant)('rejects one %s', async (_, parts, description) => {
    const wallet = chains[chain].wallet()
    const text = write(chain, wallet.address, parts)
    const response = await bring({ chain, message: text, signature: wallet.sign(text) })
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ error: 'invalid_grant', error_description: description })
  })

  it("rejects another wallet's signature, a changed message, and malformed signatures", async () => {
    const [wallet, other] = [chains[chain].wallet(), chains[chain].wallet()]
    const message = write(chain, wallet.address)
    const fault = { error: 'invalid_grant', error_description: 'Signature does not match address in message' }
    const none = chain === 'solana' ? 'A'.repeat(86) : `0x${'0'.repeat(130)}`
    for (const json of [
      { chain, message, signature: other.sign(message) },
      { chain, message: message.replace('I accept.', 'I agree.'), signature: wallet.sign(message) },
      { chain, message, signature: none },
    ]) {
      const response = await bring(json)
      expect([response.status, await response.json()]).toEqual([400, fault])
    }
    for (const [json, text] of [
      [{ chain, message: 'short', signature: none }, 'message is too short'],
      [{ chain, message: 'x'.repeat(20_481), signature: none }, 'message must not exceed 20KB'],
      [{ chain, message, signature: 'abc' }, /^signature must be 6[45] bytes/],
      [{ chain, message: 'x\n'.repeat(40), signature: none }, /does not end in/],
      [{ chain, message: 'x'.repeat(80), signature: none }, /needs at least 6 lines/],
      [{ chain, message: write(chain, 'nobody'), signature: none }, /wallet address is not/],
    ] as const) {
      const response = await bring(json)
      expect(response.status).toBe(400)
      expect(((await response.json()) as { msg: string }).msg).toMatch(text)
    }
  })
})

it('accepts signatures of a Ledger', async () => {
  const wallet = solanaWallet(true)
  const message = write('solana', wallet.address)
  expect((await bring({ chain: 'solana', message, signature: wallet.sign(message) })).status).toBe(200)
})

it('accepts enabled chains only', async () => {
  const response = await bring({ chain: 'bitcoin' })
  expect([response.status, response.headers.get('x-sb-error-code')]).toEqual([400, 'web3_unsupported_chain'])
  const few = await startAuth(
    database,
    `[auth]\nadditional_redirect_urls = ["${site}"]\n[auth.web3.solana]\nenabled = true\n[auth.rate_limit]\nweb3 = 3\n`,
  )
  try {
    const sendRequest = async (chain: string) => {
      const result = await few.request('/token?grant_type=web3', { json: { chain } })
      return [result.status, result.headers.get('x-sb-error-code')]
    }
    expect(await sendRequest('ethereum')).toEqual([422, 'web3_provider_disabled'])
    expect(await sendRequest('solana')).toEqual([400, 'validation_failed'])
    await sendRequest('solana')
    expect(await sendRequest('solana')).toEqual([429, 'over_request_rate_limit'])
  } finally {
    await few.stop()
  }
})
