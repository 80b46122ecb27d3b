import { i18n } from '@lingui/core'
import { findSettingProblem } from '../../../../wire/settingProblems.ts'
import type { Outcome } from '../../../data/failures/failures.ts'
import { settingLabel } from './settingLabels.ts'

/** An outcome whose failure states in the language of the reader why the server refuses a setting. */
export async function explain<T extends Outcome<unknown>>(request: Promise<T>): Promise<T> {
  const outcome = await request
  if (outcome.ok) return outcome
  const { name, message } = outcome.failure
  return { ...outcome, failure: { ...outcome.failure, message: explainRefusal(name, message) } }
}

/** Why the server refuses a value. A sentence that has no translation stays English. */
export function explainRefusal(error: string, sentence: string): string {
  if (error === 'address_unreachable') return i18n._('This address doesn’t lead to this server')
  if (error === 'last_sign_in_method')
    return i18n._(
      'After this change, you can sign in only with a password, a passkey or a code that is shown on the server.',
    )
  if (error === 'no_sign_in_method')
    return i18n._(
      'You couldn’t sign in with these settings. Keep a method that you use, or first add another one in Settings, under “Account and security”.',
    )
  const problem = findSettingProblem(sentence)
  switch (problem?.kind) {
    case 'size':
      return i18n._('Enter a number with a unit, such as 200MiB or 1GiB.')
    case 'range':
      return i18n._('Enter a whole number from {min} to {max}.', { min: problem.min, max: problem.max })
    case 'number':
      return i18n._('Enter a number.')
    case 'time':
      return i18n._('Enter a time such as 03:00.')
    case 'url':
      return i18n._('Enter an address that starts with https:// or http://.')
    case 'email':
      return i18n._('Enter an email address such as chat@example.org.')
    case 'text':
      return i18n._('Enter a text.')
    case 'variable':
      return i18n._('Environment variables can only be used in linnet.toml.')
    case 'secretAgain':
      return i18n._('Enter this again, because you’re changing the server that receives it.')
    case 'smtp':
      return i18n._('Enter both a mail server and a sender address.')
    case 'missing':
      return i18n._('To turn on this service, also enter: {field}', { field: settingLabel(problem.key) })
    case 'noMethod':
      return i18n._(
        'Nobody could join with these settings. Keep “Links and codes by email”, “Passwords” or a sign-in service turned on.',
      )
    case 'codesNeeded':
      return i18n._(
        'Set auth.email.secure_password_change to false in linnet.toml first. It requires a code by email for each new password.',
      )
    case 'fixed':
      return i18n._('Set in {place}. Change it there.', { place: problem.place })
    case 'noMailServer':
      return i18n._('Enter a mail server first.')
    case 'noAddress':
      return i18n._('Add an email address to your account first.')
    case 'paused':
      return i18n._('This is a restored copy. It sends nothing until an owner confirms the restore.')
    case undefined:
      return sentence
  }
}
