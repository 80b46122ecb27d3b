import { i18n } from '@lingui/core'
import { useState } from 'react'
import { useDevicePreference } from '../../../data/hooks/useDevicePreference.ts'
import { RadioGroup } from '../../../ui/RadioGroup.tsx'
import type { Language } from '../../../../wire/languages.ts'
import { chooseLanguage, readLanguage } from '../../../ui/language.ts'
import { languageOptions } from '../../../ui/inLanguage.ts'
import { readPreference, type AppearanceSettings } from '../../../devicePreferences.ts'
import { Switch } from '../../../ui/Switch.tsx'
import { saveAppearance } from '../../../ui/theme.ts'
import { PaneFrame } from '../PaneFrame.tsx'

/** Settings of this device: theme, contrast, density, text size, language, the kind of message fields and emoticons. */
export default function AppearancePane() {
  const [appearance, setAppearance] = useState(() => readPreference('appearance'))
  const [isSource, setSource] = useDevicePreference('markdownSource')
  const [convertsEmoticons, setConvertsEmoticons] = useDevicePreference('convertsEmoticons')
  const choose = (change: Partial<AppearanceSettings>) => {
    const next = { ...appearance, ...change }
    saveAppearance(next)
    setAppearance(next)
  }
  return (
    <PaneFrame hint={i18n._('Applies to this device only.')}>
      <RadioGroup
        label={i18n._('Theme')}
        value={appearance.theme}
        options={[
          { value: 'system', label: i18n._('Match system') },
          { value: 'light', label: i18n._('Light') },
          { value: 'dark', label: i18n._('Dark') },
        ]}
        onChange={(theme) => choose({ theme })}
      />
      <RadioGroup
        label={i18n._('Contrast')}
        value={appearance.contrast}
        options={[
          { value: 'system', label: i18n._('Match system') },
          { value: 'more', label: i18n._('High') },
        ]}
        onChange={(contrast) => choose({ contrast })}
      />
      <RadioGroup
        label={i18n._('Message density')}
        value={appearance.density}
        options={[
          { value: 'comfortable', label: i18n._('Comfortable') },
          { value: 'compact', label: i18n._('Compact') },
        ]}
        onChange={(density) => choose({ density })}
      />
      <RadioGroup
        label={i18n._('Text size')}
        value={appearance.textSize}
        options={[
          { value: '87.5%', label: i18n._('Small') },
          { value: '100%', label: i18n._('Normal') },
          { value: '112.5%', label: i18n._('Large') },
          { value: '125%', label: i18n._('Larger') },
        ]}
        onChange={(textSize) => choose({ textSize })}
      />
      <RadioGroup<Language>
        label={i18n._('Language')}
        value={readLanguage()}
        options={languageOptions}
        onChange={chooseLanguage}
      />
      <Switch
        label={i18n._('Write in Markdown source')}
        hint={i18n._(
          'Message fields show the marks that you type, such as **bold**, instead of formatted text.',
        )}
        checked={isSource}
        onChange={setSource}
      />
      <Switch
        label={i18n._('Turn :) into 🙂')}
        hint={i18n._('When you send a message. In code and links, it stays as you typed it.')}
        checked={convertsEmoticons}
        onChange={setConvertsEmoticons}
      />
    </PaneFrame>
  )
}
