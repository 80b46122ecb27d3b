import { i18n } from '@lingui/core'
import { registerSentences, outdatedClient } from './failures.ts'

const personName = () => i18n._('Enter a name of 1 to 80 characters on one line.')
const personTitle = () => i18n._('Enter a title of up to 80 characters on one line.')
const personPronouns = () => i18n._('Enter pronouns of up to 40 characters on one line.')
const plainStatus = () => i18n._('A status is one line of text with an optional emoji.')

/** Errors of profile changes; loaded with these. */
registerSentences({
  profiles_name_length: personName,
  profiles_title_length: personTitle,
  profiles_pronouns_length: personPronouns,
  profiles_time_zone_form: outdatedClient,
  profiles_status_text_length: () => i18n._('A status can be up to 100 characters.'),
  profiles_status_emoji_plain: plainStatus,
  profiles_status_emoji_length: plainStatus,
  profiles_presence_known: outdatedClient,
  profiles_presence_until_finite: outdatedClient,
  profiles_status_expires_finite: outdatedClient,
})
