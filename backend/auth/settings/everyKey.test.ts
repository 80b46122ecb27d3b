import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { knownAuthKeys } from '../../config/knownAuthKeys.ts'
import { type Config, ConfigError, loadConfig } from '../../config/loadConfig.ts'
import type { MailKind } from '../mail/templates/defaultMails.ts'
import { loadMailTemplates } from '../mail/templates/mailTemplates.ts'
import { readOAuthServerSettings } from '../../optional/oauthServer/OAuthServerContext.ts'
import { readSmsProviderSettings } from '../../optional/sms/createSmsProvider.ts'
import { readWeb3Settings } from '../../optional/web3/grantByWallet.ts'
import { type AuthSettings, readAuthSettings } from './authSettings.ts'
import { createSettingsReader } from './createSettingsReader.ts'

const dir = mkdtempSync(join(tmpdir(), 'linnet-keys-'))
afterAll(() => rmSync(dir, { recursive: true }))

/** Keys of `[auth]` by their paths. */
type Keys = Record<string, string | number | boolean | string[]>

function load(keys: Keys) {
  const lines = Object.entries(keys).map(([path, value]) => `auth.${path} = ${JSON.stringify(value)}`)
  writeFileSync(join(dir, 'config.toml'), lines.join('\n'))
  return loadConfig(dir)
}

/** The settings of the service and of its optional parts. */
function readEverySetting(config: Config) {
  const [settings, read] = [readAuthSettings(config), createSettingsReader(config)]
  return {
    ...settings,
    sms: { ...settings.sms, provider: readSmsProviderSettings(read) },
    web3: readWeb3Settings(read),
    oauthServer: readOAuthServerSettings(read),
  }
}

const secret = 'v1,whsec_c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0IQ=='

/** A key, its value, the settings that result, and other keys that it needs. */
type Case = [key: string, value: Keys[string], settings: object, also?: Keys]

const smtp: Keys = { 'email.smtp.host': 'smtp.example.com', 'email.smtp.admin_email': 'a@example.com' }
const captcha: Keys = { 'captcha.enabled': true, 'captcha.provider': 'hcaptcha', 'captcha.secret': 's' }
const github: Keys = {
  'external.github.enabled': true,
  'external.github.client_id': 'a',
  'external.github.secret': 's',
}
const inGithub = (settings: object): object => ({ external: { providers: { github: settings } } })

/** An SMS provider: each of its keys sets one setting. */
function sender(name: string, keys: Record<string, string>): Case[] {
  const all = Object.fromEntries(Object.keys(keys).map((key) => [`sms.${name}.${key}`, `of-${key}`]))
  const on = { [`sms.${name}.enabled`]: true, ...all }
  return [
    [`sms.${name}.enabled`, true, { sms: { provider: { name } } }, all],
    ...Object.entries(keys).map(([key, setting]): Case => {
      const value = `of-${key}`
      return [`sms.${name}.${key}`, value, { sms: { provider: { [setting]: value } } }, on]
    }),
  ]
}

/** A third-party issuer: its keys form the URL of its tokens. */
const issuer = (name: string, keys: Record<string, string>, url: string): Case[] => {
  const on = Object.fromEntries(
    Object.entries(keys).map(([key, value]) => [`third_party.${name}.${key}`, value]),
  )
  const whole = { ...on, [`third_party.${name}.enabled`]: true }
  return Object.entries(whole).map(([key, value]): Case => [key, value, { thirdParty: { url } }, whole])
}

const hooks = [
  'before_user_created',
  'after_user_created',
  'custom_access_token',
  'mfa_verification_attempt',
  'password_verification_attempt',
  'send_sms',
  'send_email',
].flatMap((name): Case[] => {
  const http = { [`hook.${name}.uri`]: 'https://hooks.example.com/h', [`hook.${name}.secrets`]: secret }
  const on = { ...http, [`hook.${name}.max_concurrent`]: 5, [`hook.${name}.enabled`]: true }
  return Object.entries(on).map(([key, value]) => [key, value, { hooks: { [name]: expect.anything() } }, on])
})

const factors: Case[] = (['totp', 'phone', 'web_authn'] as const).flatMap((name): Case[] => {
  const setting = name === 'web_authn' ? 'webauthn' : name
  const verify = { [`mfa.${name}.verify_enabled`]: true }
  return [
    [`mfa.${name}.verify_enabled`, true, { factors: { [setting]: { verify: true, enroll: false } } }],
    [`mfa.${name}.enroll_enabled`, true, { factors: { [setting]: { enroll: true } } }, verify],
  ]
})

const notifications = [
  'password_changed',
  'email_changed',
  'phone_changed',
  'identity_linked',
  'identity_unlinked',
  'mfa_factor_enrolled',
  'mfa_factor_unenrolled',
].map((name): Case => [
  `email.notification.${name}.enabled`,
  true,
  { email: { notifications: { [name]: true } } },
])

const cases: Case[] = [
  ['external_url', 'https://id.example.com/auth/v1/', { externalUrl: 'https://id.example.com/auth/v1' }],
  ['additional_redirect_urls', ['https://a.example/**'], { redirectAllowList: ['https://a.example/**'] }],
  ['jwt_expiry', 600, { jwtExpiry: 600 }],
  ['jwt_issuer', 'https://id.example.com', { jwtIssuer: 'https://id.example.com' }],
  ['enable_refresh_token_rotation', false, { sessions: { rotation: false } }],
  ['refresh_token_reuse_interval', 30, { sessions: { reuseInterval: 30_000 } }],
  ['enable_manual_linking', true, { external: { manualLinking: true } }],
  ['enable_signup', false, { signupEnabled: false }],
  ['enable_anonymous_sign_ins', true, { anonymousEnabled: true }],
  ['minimum_password_length', 12, { password: { minimumLength: 12 } }],
  [
    'password_requirements',
    'letters_digits',
    { password: { required: [/[a-zA-Z]/, /\d/].map(() => expect.any(String)) } },
  ],
  ['leaked_password_protection', true, { password: { rejectLeaked: true } }],
  ['hide_accounts', true, { hidesAccounts: true }],
  ['require_current_password', true, { password: { requireCurrent: true } }],
  ['email.require_current_password', true, { password: { requireCurrent: true } }],
  ['passkey.enabled', true, { passkeys: { enabled: true } }],
  ['webauthn.rp_display_name', 'Linnet', { passkeys: { party: { name: 'Linnet' } } }],
  ['webauthn.rp_id', 'example.com', { passkeys: { party: { id: 'example.com' } } }],
  [
    'webauthn.rp_origins',
    ['https://example.com/'],
    { passkeys: { party: { origins: ['https://example.com'] } } },
  ],

  ['rate_limit.email_sent', 7, { limits: { emailPerHour: 7 } }, smtp],
  ['rate_limit.sms_sent', 7, { limits: { smsPerHour: 7 } }],
  ['rate_limit.anonymous_users', 7, { limits: { anonymousPerHour: 7 } }],
  ['rate_limit.token_refresh', 7, { limits: { tokenPer5Minutes: 7 } }],
  ['rate_limit.sign_in_sign_ups', 7, { limits: { signInPer5Minutes: 7 } }],
  ['rate_limit.token_verifications', 7, { limits: { verifyPer5Minutes: 7 } }],
  ['rate_limit.web3', 7, { limits: { web3Per5Minutes: 7 } }],

  ['captcha.enabled', true, { captcha: { provider: 'hcaptcha' } }, captcha],
  ['captcha.provider', 'turnstile', { captcha: { provider: 'turnstile' } }, captcha],
  ['captcha.secret', ' s3 ', { captcha: { secret: 's3' } }, captcha],

  ['email.enabled', false, { email: { enabled: false } }],
  ['email.codes', false, { email: { sendsCodes: false } }],
  ['email.passwords', false, { password: { enabled: false } }],
  ['email.enable_signup', false, { email: { enabled: false } }],
  ['email.double_confirm_changes', false, { email: { doubleConfirmChanges: false } }],
  ['email.enable_confirmations', true, { email: { autoconfirm: false } }],
  ['email.secure_password_change', true, { email: { reauthenticateForPassword: true } }],
  ['email.max_frequency', '1m30s', { email: { cooldownMs: 90_000 } }],
  ['email.otp_length', 8, { email: { otpLength: 8 } }],
  ['email.otp_expiry', 60, { email: { otpExpiry: 60_000 } }],
  ['email.smtp.enabled', false, { smtp: null }, smtp],
  ['email.smtp.host', 'mx.example.com', { smtp: { host: 'mx.example.com' } }, smtp],
  ['email.smtp.port', 465, { smtp: { port: 465 } }, smtp],
  ['email.smtp.user', 'u', { smtp: { user: 'u' } }, smtp],
  ['email.smtp.pass', 'p', { smtp: { password: 'p' } }, smtp],
  ['email.smtp.admin_email', 'b@example.com', { smtp: { from: { address: 'b@example.com' } } }, smtp],
  ['email.smtp.sender_name', 'Chat', { smtp: { from: { name: 'Chat' } } }, smtp],
  ...notifications,

  ['sessions.timebox', '24h', { sessions: { timebox: 86_400_000 } }],
  ['sessions.inactivity_timeout', '8h', { sessions: { inactivity: 28_800_000 } }],
  ['sessions.allow_low_aal', '15m', { sessions: { allowLowAal: 900_000 } }],
  ['sessions.single_per_user', true, { sessions: { singlePerUser: true } }],
  ['sessions.tags', ['web', 'phone'], { sessions: { tags: ['web', 'phone'] } }],
  ...hooks,

  ['sms.enabled', true, { sms: { enabled: true } }],
  ['sms.enable_signup', true, { sms: { enabled: true } }],
  ['sms.enable_confirmations', true, { sms: { autoconfirm: false } }],
  ['sms.template', 'It is {{ .Code }}.', { sms: { template: expect.anything() } }],
  ['sms.max_frequency', '1m', { sms: { cooldownMs: 60_000 } }],
  ['sms.test_otp.4152127777', '123456', { sms: { testCodes: new Map([['4152127777', '123456']]) } }],
  ...sender('twilio', {
    account_sid: 'accountSid',
    message_service_sid: 'messageServiceSid',
    auth_token: 'authToken',
  }),
  ...sender('twilio_verify', {
    account_sid: 'accountSid',
    message_service_sid: 'messageServiceSid',
    auth_token: 'authToken',
  }),
  ...sender('messagebird', { originator: 'originator', access_key: 'accessKey' }),
  ...sender('textlocal', { sender: 'sender', api_key: 'apiKey' }),
  ...sender('vonage', { from: 'from', api_key: 'apiKey', api_secret: 'apiSecret' }),

  ['mfa.max_enrolled_factors', 3, { factors: { maxPerUser: 3 } }],
  ...factors,
  ['mfa.phone.otp_length', 8, { factors: { phone: { otpLength: 8 } } }],
  ['mfa.phone.template', 'It is {{ .Code }}.', { factors: { phone: { template: expect.anything() } } }],
  ['mfa.phone.max_frequency', '1m', { factors: { phone: { cooldownMs: 60_000 } } }],

  ['external.github.enabled', true, inGithub({ enabled: true }), github],
  ['external.github.client_id', 'a, b', inGithub({ clientIds: ['a', 'b'] }), github],
  ['external.github.secret', 's', inGithub({ secret: 's' }), github],
  [
    'external.github.redirect_uri',
    'https://a.example/b',
    inGithub({ redirectUri: 'https://a.example/b' }),
    github,
  ],
  ['external.github.url', 'https://git.example/', inGithub({ url: 'https://git.example' }), github],
  ['external.github.skip_nonce_check', true, inGithub({ skipNonceCheck: true }), github],
  ['external.github.email_optional', true, inGithub({ emailOptional: true }), github],
  ['web3.solana.enabled', true, { web3: { solana: true } }],
  ['web3.ethereum.enabled', true, { web3: { ethereum: true } }],

  ...issuer('firebase', { project_id: 'p' }, 'https://securetoken.google.com/p'),
  ...issuer('auth0', { tenant: 't', tenant_region: 'eu' }, 'https://t.eu.auth0.com'),
  ...issuer(
    'aws_cognito',
    { user_pool_id: 'p', user_pool_region: 'r' },
    'https://cognito-idp.r.amazonaws.com/p',
  ),
  ...issuer('clerk', { domain: 'clerk.example.com' }, 'https://clerk.example.com'),
  ...issuer('workos', { issuer_url: 'https://w.example/' }, 'https://w.example'),

  ['oauth_server.enabled', true, { oauthServer: { enabled: true } }],
  ['oauth_server.authorization_url_path', '/consent', { oauthServer: { authorizationPath: '/consent' } }],
  ['oauth_server.allow_dynamic_registration', true, { oauthServer: { dynamicRegistration: true } }],
]

it.each(cases)('auth.%s = %j', (key, value, settings, also) => {
  const config = load({ ...also, [key]: value })
  expect(config.warnings).toEqual([])
  expect(readEverySetting(config)).toMatchObject(settings)
})

/** Read elsewhere, not part of AuthSettings. */
const readElsewhere = [
  'site_url',
  'signing_keys_path',
  'jwt_secret',
  'publishable_key',
  'secret_key',
  'anon_key',
  'service_role_key',
]

describe('mail templates', () => {
  const keys = Object.keys(knownAuthKeys).filter((key) => /\.(subject|content_path)$/.test(key))
  it.each(keys)('%s', (key) => {
    const [kind, part] = key.split('.').slice(-2) as [MailKind, string]
    writeFileSync(join(dir, 'mail.html'), '<p>Custom text</p>')
    const value = part === 'subject' ? 'Custom text' : './mail.html'
    const own = key.replace(/^auth\./, '')
    // Templates of notifications are read if these are enabled.
    const isNotification = own.includes('.notification.')
    const config = load({ [own]: value, ...(isNotification ? { [own.replace(part, 'enabled')]: true } : {}) })
    expect(config.warnings).toEqual([])
    const mail = loadMailTemplates(config)(kind, {})
    expect(part === 'subject' ? mail.subject : mail.text).toBe('Custom text')
  })
})

it('covers every key that is documented as supported', () => {
  const shown = new Set(cases.map(([key]) => `auth.${key}`))
  const isShown = (known: string): boolean => {
    // One provider represents all of them: the same code reads their keys.
    const path = known.replace(/^auth\.external\.\w+/, 'auth.external.github')
    const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll('*', '[^.]+')}$`)
    return [...shown].some((key) => pattern.test(key))
  }
  const left = Object.entries(knownAuthKeys)
    .filter(([key, { unsupported }]) => unsupported === undefined && !isShown(key))
    .map(([key]) => key.replace(/^auth\./, ''))
    .filter((key) => !/\.(subject|content_path)$/.test(key))
  expect(left.toSorted()).toEqual(readElsewhere.toSorted())
})

it.each<[keys: Keys, sentence: string]>([
  [{ jwt_expiry: 1 }, 'auth.jwt_expiry must be a whole number from 10 to 604800, not 1'],
  [{ jwt_expiry: 60.5 }, 'auth.jwt_expiry must be a whole number'],
  [{ jwt_expiry: '1h' }, 'auth.jwt_expiry must be a number, not "1h"'],
  [
    { site_url: 'example.com' },
    'auth.site_url must be an address such as "https://chat.example.com", not "example.com"',
  ],
  [{ site_url: 'javascript:alert(1)' }, 'auth.site_url must be an address'],
  [{ external_url: 'id.example.com' }, 'auth.external_url must begin with'],
  [{ additional_redirect_urls: [1] as never }, 'auth.additional_redirect_urls must be a list of strings'],
  [{ refresh_token_reuse_interval: -1 }, 'must be a whole number from 0 to 86400, not -1'],
  [{ enable_signup: 'perhaps' }, 'auth.enable_signup must be true or false, not "perhaps"'],
  [{ minimum_password_length: 5 }, 'auth.minimum_password_length must be a whole number from 6 to 72, not 5'],
  [{ minimum_password_length: 100 }, 'from 6 to 72, not 100'],
  [
    { password_requirements: 'very strong' },
    'auth.password_requirements must be one of "", "letters_digits", "lower_upper_letters_digits", "lower_upper_letters_digits_symbols", not "very strong"',
  ],
  [{ 'rate_limit.token_refresh': 1.5 }, 'auth.rate_limit.token_refresh must be a whole number'],
  [{ 'rate_limit.email_sent': -1 }, 'auth.rate_limit.email_sent must be a whole number from 0'],
  [
    { 'captcha.enabled': true, 'captcha.secret': 's' },
    'auth.captcha.provider must be one of "hcaptcha", "turnstile", not ""',
  ],
  [
    { ...captcha, 'captcha.provider': 'recaptcha' },
    'must be one of "hcaptcha", "turnstile", not "recaptcha"',
  ],
  [
    { ...captcha, 'captcha.secret': ' ' },
    'auth.captcha.secret must be the secret that hcaptcha gave, or enabled = false',
  ],
  [
    { 'email.max_frequency': 'soon' },
    'auth.email.max_frequency must be a duration such as "1m" or "24h", not "soon"',
  ],
  [{ 'email.otp_length': 5 }, 'auth.email.otp_length must be a whole number from 6 to 10, not 5'],
  [{ 'email.otp_expiry': 86_401 }, 'auth.email.otp_expiry must be a whole number from 1 to 86400'],
  [{ 'email.smtp.enabled': true }, 'auth.email.smtp needs host and admin_email, or enabled = false'],
  [{ 'sessions.timebox': '1 day' }, 'auth.sessions.timebox must be a duration'],
  [{ 'sessions.tags': [''] }, 'auth.sessions.tags must be texts that are not empty'],
  [{ 'mfa.totp.enroll_enabled': true }, 'auth.mfa.totp.enroll_enabled needs verify_enabled = true as well'],
  [{ 'mfa.max_enrolled_factors': -1 }, 'auth.mfa.max_enrolled_factors must be a whole number from 0'],
  [{ 'mfa.phone.otp_length': 20 }, 'auth.mfa.phone.otp_length must be a whole number from 6 to 10'],
  [{ 'sms.twilio.enabled': true }, 'auth.sms.twilio.account_sid must be what twilio gave you'],
  [{ 'sms.template': '{{ if }}' }, 'auth.sms.template'],
  [
    { 'webauthn.rp_id': 'https://example.com' },
    'auth.webauthn.rp_id must be a domain such as "chat.example.com"',
  ],
  [{ 'webauthn.rp_origins': ['example.com'] }, 'auth.webauthn.rp_origins must contain origins'],
  [{ 'external.github.enabled': true }, 'auth.external.github is enabled and needs client_id'],
  [{ ...github, 'external.github.secret': '' }, 'auth.external.github is enabled and needs secret'],
  [{ ...github, 'external.github.url': 'git' }, 'auth.external.github.url must be an address'],
  [{ 'third_party.clerk.enabled': true }, 'auth.third_party.clerk is enabled but has no domain'],
  [
    { 'third_party.clerk.enabled': true, 'third_party.clerk.domain': 'evil.example' },
    'auth.third_party.clerk.domain can\'t be "evil.example"',
  ],
  [{ 'hook.send_email.enabled': true }, 'auth.hook.send_email.uri'],
  [
    {
      'hook.custom_access_token.enabled': true,
      'hook.custom_access_token.uri': 'pg-functions://postgres/public/f(); drop table x',
    },
    'auth.hook.custom_access_token.uri',
  ],
  [
    {
      'hook.send_sms.enabled': true,
      'hook.send_sms.uri': 'https://h.example',
      'hook.send_sms.secrets': 'short',
    },
    'auth.hook.send_sms.secrets',
  ],
])('%j is rejected with the accepted values', (keys, sentence) => {
  const read = (): AuthSettings => readEverySetting(load(keys))
  expect(read).toThrow(ConfigError)
  expect(read).toThrow(sentence)
  expect(read).toThrow(/^\/.*config\.toml, line \d+: auth\..*\.$/)
})

it('reads values from the environment', () => {
  process.env['LINNET_TEST_CAPTCHA'] = 'from outside'
  try {
    const config = load({ ...captcha, 'captcha.secret': 'env(LINNET_TEST_CAPTCHA)' })
    expect(readAuthSettings(config).captcha?.secret).toBe('from outside')
  } finally {
    delete process.env['LINNET_TEST_CAPTCHA']
  }
})
