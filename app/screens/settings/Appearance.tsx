import { i18n } from '@lingui/core'
import { useState } from 'react'
import { Choice } from '../../ui/Choice.tsx'
import { chooseLanguage, LANGUAGES, readLanguage, type Language } from '../../ui/language.ts'
import { chooseLook, readLook, type Look } from '../../ui/theme.ts'
import { Part } from './Part.tsx'

/** How Linnet looks and speaks on this device. */
export function Appearance() {
  const [look, setLook] = useState(readLook)
  const choose = (change: Partial<Look>) => {
    const next = { ...look, ...change }
    chooseLook(next)
    setLook(next)
  }
  return (
    <Part title={i18n._('Appearance')} hint={i18n._('Applies to this device only.')}>
      <Choice
        label={i18n._('Theme')}
        value={look.theme}
        options={[
          { value: 'system', label: i18n._('Match system') },
          { value: 'light', label: i18n._('Light') },
          { value: 'dark', label: i18n._('Dark') },
        ]}
        onChange={(theme) => choose({ theme })}
      />
      <Choice
        label={i18n._('Contrast')}
        value={look.contrast}
        options={[
          { value: 'system', label: i18n._('Match system') },
          { value: 'more', label: i18n._('High') },
        ]}
        onChange={(contrast) => choose({ contrast })}
      />
      <Choice
        label={i18n._('Message density')}
        value={look.density}
        options={[
          { value: 'comfortable', label: i18n._('Comfortable') },
          { value: 'compact', label: i18n._('Compact') },
        ]}
        onChange={(density) => choose({ density })}
      />
      <Choice<Language>
        label={i18n._('Language')}
        value={readLanguage()}
        options={(Object.keys(LANGUAGES) as Language[]).map((value) => ({ value, label: LANGUAGES[value] }))}
        onChange={chooseLanguage}
      />
    </Part>
  )
}
