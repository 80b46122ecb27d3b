import { i18n } from '@lingui/core'
import { LIMITS } from '../../../../../wire/limits.ts'
import { setNotificationPreferences } from '../../../../data/notifications/preferences.ts'
import { NameForm } from '../../NameForm.tsx'

/** Words and phrases that notify like a mention, in one field. */
export function Keywords({ keywords }: { keywords: readonly string[] }) {
  const text = keywords.join(', ')
  return (
    <NameForm
      key={text}
      label={i18n._('Words and phrases to notify me about')}
      hint={i18n._('Separated by commas. Capitalization and punctuation don’t matter.')}
      name={text}
      maxLength={LIMITS.keywordBytes}
      autoComplete="off"
      optional
      save={(changed) => setNotificationPreferences({ keywords: keywordsOf(changed) })}
    />
  )
}

/** The phrases between commas and line breaks, without empty and repeated ones. */
function keywordsOf(text: string): string[] {
  const phrases = text.split(/[,;\n]/).map((phrase) => phrase.trim())
  return [...new Set(phrases.filter(Boolean))]
}
