import { byCaller } from '../postgres/connections/byCaller.ts'
import { serverItself } from '../budgets/createBudget.ts'
import { currentCaller } from '../budgets/currentCaller.ts'
import { Hono } from 'hono'
import type { ServiceEnv, VerifyToken } from '../../wire/claims.ts'
import type { Config } from '../config/loadConfig.ts'
import type { Logger } from '../logging/log.ts'
import type { Pool } from '../postgres/connections/pool.ts'
import { takeOffFactors } from './admin/takeOffFactors.ts'
import type { AuthContext } from './AuthContext.ts'
import { AuthError } from './http/AuthError.ts'
import { readAuthSettings } from './settings/authSettings.ts'
import { createVerifyToken } from './tokens/createVerifyToken.ts'
import { trustIssuer } from './tokens/trustIssuer.ts'
import { askJson } from './providers/outbound/askJson.ts'
import { createOutbound, type Outbound } from './providers/outbound/createOutbound.ts'
import type { AuthKeys } from './tokens/keys.ts'
import { createHooks } from './hooks/createHooks.ts'
import { hookLimits, type HookLimits } from './hooks/HookLimits.ts'
import { createMailer, type SentMail } from './mail/queue/createMailer.ts'
import { createMailQueue } from './mail/queue/mailQueue.ts'
import { createSmtpSender } from './mail/queue/createSmtpSender.ts'
import { openMailbox, type Mailbox } from './mail/mailbox/mailbox.ts'
import { createMailboxApp } from './mail/mailbox/mailboxApp.ts'
import { loadMailTemplates } from './mail/templates/mailTemplates.ts'
import { createCaptcha } from './limits/captcha.ts'
import { createPasswords } from './passwords/passwords.ts'
import { createRateLimits } from './limits/rateLimits.ts'
import { globToRegExp } from './http/redirects.ts'
import { renderError, toAuthError } from './http/renderError.ts'
import { createProviders } from './providers/createProviders.ts'
import { addAdminAudit } from './routes/adminAudit.ts'
import { addAdminLinks } from './routes/adminLinks.ts'
import { addAdminOAuthClients } from './routes/adminOAuthClients.ts'
import { addAdminFactors } from './routes/adminFactors.ts'
import { addAdminUsers } from './routes/adminUsers.ts'
import { addFactors } from './routes/factors.ts'
import { addOtp } from './routes/otp.ts'
import { addReauthenticate } from './routes/reauthenticate.ts'
import { addRecover } from './routes/recover.ts'
import { addResend } from './routes/resend.ts'
import { addOAuth } from './routes/oauth.ts'
import { addOAuthConsent } from './routes/oauthConsent.ts'
import { addCallback } from './routes/callback.ts'
import { addCustomProviders } from './routes/customProviders.ts'
import { addIdentities } from './routes/identities.ts'
import { addPasskeys } from './routes/passkeys.ts'
import { addProviders } from './routes/providers.ts'
import { addLogout } from './routes/logout.ts'
import { addSettings } from './routes/settings.ts'
import { addSignUp } from './routes/signUp.ts'
import { addSso } from './routes/sso.ts'
import { addToken } from './routes/token.ts'
import { addUser } from './routes/user.ts'
import { addVerify } from './routes/verify.ts'
import { createTexts } from './sms/createTexts.ts'
import { sweepAuthorizations } from './oauthServer/authorization.ts'
import { sweepChallenges } from './passkeys/passkeyChallenge.ts'
import { sweepFlows } from './rows/flowState.ts'
import { sweepSessions } from './sessions/sweepSessions.ts'

export interface AuthOptions {
  /** Of supabase_auth_admin. */
  pool: Pool
  /** Further connections of supabase_auth_admin, for a hook that is a Postgres function. */
  openPool: (name: string, max: number) => Pool
  keys: AuthKeys
  /** `[auth]` is read; a ConfigError says what is wrong with it. */
  config: Config
  /** Where people come back to. A function where the port is known only later. */
  siteUrl: string | (() => string)
  /** The origin under which this service stands at /auth/v1, for links in mails and `iss`. */
  publicUrl: string | (() => string)
  mail?: {
    /** Keeps the mailbox over restarts in `<dir>/mailbox.json`; null in memory alone. */
    dir?: string | null
    /** Told of each mail that goes to the mailbox. */
    onMail?: (mail: SentMail) => void
  }
  /** By which services of text messages are asked; for tests, which can't reach them. */
  textFetch?: typeof fetch
  /** Who is asked about captchas, instead of their provider; for tests, which can't reach it. */
  captchaAddress?: string
  /** The clock of limits; for tests, which can't wait. */
  now?: () => number
  /** How long HTTP hooks are waited for; as hosted does unless said. */
  hookLimits?: HookLimits
  /** The way to other services; leads where it says unless given. */
  outbound?: Outbound
  log: Logger
}

export interface AuthService {
  /** To be mounted at /auth/v1. */
  app: Hono<ServiceEnv>
  /** For the services beside this one; takes the tokens of another issuer too, where one is configured. */
  verifyToken: VerifyToken
  mailbox: {
    /** To be mounted at /mailbox; answers 404 to everyone but the people at this machine. */
    app: Hono
    /** `/mailbox/<token>`; null when mails are sent by SMTP, and texts by a service. */
    path: string | null
    /** Newest first; for tests and the start-up line. */
    messages: Mailbox['messages']
  }
  /** For the owner's page: takes every second step off an account and ends its sessions; null where there is none. */
  takeOffFactors: (userId: string, ip: string) => Promise<number | null>
  /** Waits for mails that are on their way. The pools stay the caller's. */
  close(): Promise<void>
}

const sweepEvery = 3_600_000

/** Sign-in, sessions and accounts after the auth contract. Throws ConfigError on a wrong `[auth]`. */
export function createAuthService(o: AuthOptions): AuthService {
  const settings = readAuthSettings(o.config)
  const { sms } = settings
  const keepsTexts = (sms.enabled || settings.factors.phone.verify) && !sms.service
  const mailbox = settings.smtp && !keepsTexts ? null : openMailbox(o.mail?.dir ?? null, o.log)
  const readUrl = (url: string | (() => string)) => () =>
    (typeof url === 'string' ? url : url()).replace(/\/+$/, '')
  const publicUrl = readUrl(o.publicUrl)
  const authUrl = (): string => settings.externalUrl || `${publicUrl()}/auth/v1`
  const verifyToken = createVerifyToken(o.keys)
  const outbound = o.outbound ?? createOutbound()
  const mailer = createMailer({
    templates: loadMailTemplates(o.config),
    route: settings.smtp && {
      queue: createMailQueue(o.pool),
      send: createSmtpSender(settings.smtp),
    },
    mailbox,
    onMail: o.mail?.onMail,
    log: o.log,
  })
  const texts = createTexts({ service: sms.service, mailbox, onMail: o.mail?.onMail, fetch: o.textFetch })
  const ctx: AuthContext = {
    pool: byCaller(o.pool),
    keys: o.keys,
    settings,
    allowedRedirects: settings.redirectAllowList.map(globToRegExp),
    verifyToken,
    passwords: createPasswords(),
    limits: createRateLimits(settings.limits, o.now),
    captcha: settings.captcha && createCaptcha(settings.captcha, o.captchaAddress),
    mailer,
    hooks: createHooks({
      settings: settings.hooks,
      limits: o.hookLimits ?? hookLimits,
      openPool: (name, max) => byCaller(o.openPool(name, max)),
    }),
    texts,
    providers: createProviders({
      db: o.pool,
      external: settings.external,
      outbound,
      callbackUrl: () => `${authUrl()}/callback`,
    }),
    log: o.log,
    siteUrl: readUrl(o.siteUrl),
    authUrl,
    issuer: () => settings.jwtIssuer || authUrl(),
  }
  const sweep = setInterval(() => {
    Promise.all([
      sweepFlows(o.pool),
      sweepSessions(o.pool, settings.sessions),
      sweepChallenges(o.pool),
      sweepAuthorizations(o.pool),
    ]).catch((error: Error) => o.log.warn('auth.sweep_failed', { reason: error.message }))
  }, sweepEvery)
  sweep.unref()
  return {
    app: createApp(ctx),
    verifyToken: settings.thirdParty
      ? trustIssuer(verifyToken, settings.thirdParty, {
          askJson: (url) => askJson(outbound, url),
          log: o.log,
        })
      : verifyToken,
    mailbox: {
      app: createMailboxApp(mailbox),
      path: mailbox ? `/mailbox/${mailbox.token}` : null,
      messages: () => mailbox?.messages() ?? [],
    },
    takeOffFactors: (userId, ip) => takeOffFactors(ctx, userId, ip),
    async close() {
      clearInterval(sweep)
      await Promise.all([mailer.drained(), texts.drained()])
    },
  }
}

/**
 * The routes. That no cache keeps their answers the gateway says, of all services: headers that are added to a finished
 * answer here make a stream of it, which costs as much as the rest of Hono.
 */
function createApp(ctx: AuthContext): Hono<ServiceEnv> {
  const app = new Hono<ServiceEnv>()
  app.use((c, next) => currentCaller.run(c.get('callerKey') ?? serverItself, next))
  addSettings(app, ctx)
  addSignUp(app, ctx)
  addOtp(app, ctx)
  addRecover(app, ctx)
  addResend(app, ctx)
  addToken(app, ctx)
  addVerify(app, ctx)
  addUser(app, ctx)
  addLogout(app, ctx)
  addReauthenticate(app, ctx)
  addAdminUsers(app, ctx)
  addAdminLinks(app, ctx)
  addAdminAudit(app, ctx)
  addAdminOAuthClients(app, ctx)
  addOAuth(app, ctx)
  addOAuthConsent(app, ctx)
  addFactors(app, ctx)
  addPasskeys(app, ctx)
  addAdminFactors(app, ctx)
  addProviders(app, ctx)
  addCallback(app, ctx)
  addIdentities(app, ctx)
  addCustomProviders(app, ctx)
  addSso(app, ctx)
  const version = 'X-Supabase-Api-Version'
  // A route, not a not-found handler: mounted apps lose theirs, and the answer would not be the contract's.
  app.all('*', (c) => {
    throw new AuthError(404, 'not_found', `There is no ${c.req.method} ${c.req.path}`)
  })
  app.onError((thrown, c) => {
    const { error, unexpected } = toAuthError(thrown)
    if (unexpected) {
      const reason = error.cause instanceof Error ? error.cause.message : error.message
      ctx.log.error('auth.failed', {
        request: c.get('requestId'),
        method: c.req.method,
        path: c.req.path,
        reason,
      })
    }
    return renderError(error, c.req.header(version))
  })
  return app
}
