import { transactAccount } from '../../auth/accounts/databaseErrors.ts'
import type { AuthContext, MailContext, RedirectContext, SignInContext } from '../../auth/AuthContext.ts'
import type { ConfigureAuthExtension } from '../../auth/AuthExtension.ts'
import { AuthError, OAuthError, invalid } from '../../auth/http/AuthError.ts'
import { readClientInfo, readRedirectUrl, type AuthRequest } from '../../auth/http/authenticate.ts'
import { readBody } from '../../auth/http/readBody.ts'
import { writeAudit } from '../../auth/audit.ts'
import { isAllowedRedirect } from '../../auth/http/redirects.ts'
import { findOrCreateUser } from '../../auth/providers/linking/findOrCreateUser.ts'
import { issueSession, type SessionResponse } from '../../auth/sessions/sessions.ts'
import { parseWalletMessage, type WalletMessage, type Chain } from './parseWalletMessage.ts'
import type { SettingsReader } from '../../auth/settings/createSettingsReader.ts'
import { verifyEthereum, verifySolana } from './verifyWallet.ts'

const names: Record<Chain, string> = { solana: 'Solana', ethereum: 'Ethereum' }
/** The maximum age of a message in ms. A message may also be this far in the future, by another clock. */
const maxAgeMs = 600_000

/** `[auth.web3.*]`: which chains are enabled. */
type Web3Settings = Record<Chain, boolean>

/** Reads `[auth.web3]` of config.toml. */
export function readWeb3Settings(read: SettingsReader): Web3Settings {
  return {
    solana: read.at('auth.web3.solana.enabled', false),
    ethereum: read.at('auth.web3.ethereum.enabled', false),
  }
}

/** Adds sign-in with wallets of the chains that config.toml enables. */
export const configureWalletSignIn: ConfigureAuthExtension = (read) => {
  const enabled = readWeb3Settings(read)
  return {
    grants: {
      web3: {
        issueSession: (ctx, c) => grantByWallet(ctx, c, enabled),
        limit: 'web3',
        requiresCaptcha: true,
      },
    },
  }
}

/** `grant_type=web3`: exchanges a message for this site that a wallet has signed. */
async function grantByWallet(
  ctx: MailContext & SignInContext & Pick<AuthContext, 'allowedRedirects'>,
  c: AuthRequest,
  enabled: Web3Settings,
): Promise<SessionResponse> {
  if (!enabled.solana && !enabled.ethereum) {
    throw new AuthError(422, 'web3_provider_disabled', 'Web3 provider is disabled')
  }
  const body = await readBody(c, { chain: 'string', message: 'string', signature: 'string' })
  const { chain } = body
  if (chain !== 'solana' && chain !== 'ethereum') {
    throw new AuthError(400, 'web3_unsupported_chain', 'Unsupported chain')
  }
  if (!enabled[chain]) {
    throw new AuthError(422, 'web3_provider_disabled', `${names[chain]} Web3 provider is disabled`)
  }
  const message = readSignedMessage(chain, body.message ?? '', body.signature ?? '')
  checkDomain(ctx, names[chain], message)
  checkTime(names[chain], message)
  const clientInfo = readClientInfo(c)
  const provider = 'web3'
  const { address, chainId: network, domain, statement, uri } = message
  const sub = `${provider}:${chain}:${address}`
  const signIn = {
    provider,
    providerUser: {
      emails: [],
      claims: { sub, custom_claims: { address, chain, network, domain, statement } },
    },
    emailOptional: true,
    ip: clientInfo.ip,
    redirectTo: readRedirectUrl(ctx, c),
  }
  return transactAccount(ctx, async (tx) => {
    const { user } = await findOrCreateUser(ctx, tx, signIn)
    const traits = { provider, chain, network, address, domain, uri: uri.href }
    await writeAudit(tx, user, 'login', clientInfo.ip, traits)
    return issueSession(ctx, tx, { user, method: 'web3', clientInfo })
  })
}

/** Parses the message and verifies the signature of its address. Throws AuthError, OAuthError 400. */
function readSignedMessage(chain: Chain, text: string, signature: string): WalletMessage {
  const length = Buffer.byteLength(text)
  if (length < 64) throw invalid('message is too short')
  if (length > 20_480) throw invalid('message must not exceed 20KB')
  const bytes = chain === 'solana' ? readBase64(signature) : null
  if (chain === 'ethereum' && signature.replace(/^0x/, '').length !== 130) {
    throw invalid('signature must be 65 bytes long, encoded as a 130 character-long hexadecimal string')
  }
  const message = parseWalletMessage(chain, text)
  const isValid = bytes ? verifySolana(message, bytes) : verifyEthereum(message, signature)
  if (!isValid) throw new OAuthError('invalid_grant', 'Signature does not match address in message')
  return message
}

function readBase64(signature: string): Uint8Array {
  if (signature.length !== 86 && signature.length !== 88) {
    throw invalid('signature must be 64 bytes encoded as base64 with or without padding')
  }
  const plain = signature.replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_')
  if (!/^[\w-]{86}$/.test(plain)) throw invalid('signature does not contain valid base64 characters')
  return Buffer.from(plain, 'base64url')
}

/** Rejects messages that were signed for another site. Throws OAuthError. */
function checkDomain(ctx: RedirectContext, chain: string, { uri, domain }: WalletMessage): void {
  const refuse = (what: string): OAuthError =>
    new OAuthError('invalid_grant', `Signed ${chain} message is using ${what}`)
  const allowed = (url: string): boolean => isAllowedRedirect(url, ctx.siteUrl(), ctx.allowedRedirects)
  const isLocal = uri.hostname === 'localhost'
  if (uri.protocol !== 'https:' && !isLocal) throw refuse('URI which does not use HTTPS')
  if (!allowed(uri.href)) {
    throw refuse('URI which is not allowed on this server, message was signed for another app')
  }
  if (!isLocal && (uri.host !== domain.toLowerCase() || !allowed(`https://${domain}/`))) {
    throw refuse('a Domain that does not match the one in URI which is not allowed on this server')
  }
}

/** Throws OAuthError. */
function checkTime(chain: string, { notBefore, expiresAt, issuedAt }: WalletMessage): void {
  const refuse = (what: string): OAuthError => new OAuthError('invalid_grant', what)
  const now = Date.now()
  if (notBefore && now < notBefore.getTime()) {
    throw refuse(`Signed ${chain} message becomes valid in the future`)
  }
  // GoTrue checks the end of an Ethereum message only if it has a beginning too.
  if (expiresAt && now > expiresAt.getTime()) throw refuse(`Signed ${chain} message is expired`)
  if (now > issuedAt.getTime() + maxAgeMs) throw refuse(`${chain} message was issued too long ago`)
  if (now < issuedAt.getTime() - maxAgeMs) throw refuse(`${chain} message was issued too far in the future`)
}
