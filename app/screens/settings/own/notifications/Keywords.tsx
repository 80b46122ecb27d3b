import { i18n } from '@lingui/core'
import { useState } from 'react'
import { LIMITS } from '../../../../../wire/limits.ts'
import { isComposing } from '../../../../ui/isComposing.ts'
import { TextField } from '../../../../ui/TextField.tsx'
import type { SavePreferences } from './useSavePreferences.ts'

interface Props {
  keywords: readonly string[]
  save: SavePreferences
}

/** Words and phrases that notify like a mention, in one field. They are saved when it is left, and by Enter. */
export function Keywords({ keywords, save }: Props) {
  const saved = keywords.join(', ')
  const [edited, setEdited] = useState({ text: saved, saved })
  // Saved meanwhile, here or on another device.
  if (edited.saved !== saved) setEdited({ text: saved, saved })
  const { text } = edited
  const saveText = () => {
    const next = keywordsOf(text)
    if (next.join(', ') !== saved) void save({ keywords: next })
  }
  return (
    <TextField
      label={i18n._('Words and phrases to notify me about')}
      hint={i18n._('Separated by commas. Capitalization and punctuation don’t matter.')}
      value={text}
      maxLength={LIMITS.keywordBytes}
      autoComplete="off"
      onChange={(next) => setEdited({ text: next, saved })}
      onBlur={saveText}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && !isComposing(event.nativeEvent)) saveText()
      }}
    />
  )
}

/** The phrases between commas and line breaks, without empty and repeated ones. */
function keywordsOf(text: string): string[] {
  const phrases = text.split(/[,;\n]/).map((phrase) => phrase.trim())
  return [...new Set(phrases.filter(Boolean))]
}
