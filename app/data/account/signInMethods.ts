import { done, type Outcome } from '../failures/failures.ts'
import { askAuth } from '../client/requestAuth.ts'
import { takesKeys } from './credentials.ts'

/** How one may sign in here, as the installation is configured. */
export interface Ways {
  phone: boolean
  passkeys: boolean
  /** Names of providers, as `/authorize` takes them. */
  providers: string[]
  /** No mail server is set up: mails are kept in a mailbox that opens on the server's machine only. */
  mailsStayLocal: boolean
}

const NOT_PROVIDERS = new Set(['email', 'phone', 'anonymous_users'])

let asked: Promise<Outcome<Ways>> | null = null

/** Reads `GET /auth/v1/settings` once; asks again after a failure. */
export function readWays(): Promise<Outcome<Ways>> {
  asked ??= ask().then((outcome) => {
    if (!outcome.ok) asked = null
    return outcome
  })
  return asked
}

async function ask(): Promise<Outcome<Ways>> {
  const answer = await askAuth<{
    external?: Record<string, boolean>
    passkeys_enabled?: boolean
    mailer_local_mailbox?: boolean
  }>('settings')
  if (!answer.ok) return answer
  const external = answer.value.external ?? {}
  return done({
    phone: external['phone'] === true,
    passkeys: answer.value.passkeys_enabled === true && takesKeys(),
    providers: Object.keys(external).filter((name) => external[name] === true && !NOT_PROVIDERS.has(name)),
    mailsStayLocal: answer.value.mailer_local_mailbox === true,
  })
}
