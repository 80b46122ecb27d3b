import { i18n } from '@lingui/core'
import { setWorkspaceLanguage } from '../../../data/workspaces/workspaceSettings.ts'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import type { Language } from '../../../../wire/languages.ts'
import { languageOptions } from '../../../ui/inLanguage.ts'
import { SettingChoice } from '../SettingChoice.tsx'

/** The language in which newcomers start, and of mails to people who have not chosen one. */
export function WorkspaceLanguage() {
  const { workspace } = useMe()
  return (
    <SettingChoice<Language | ''>
      label={i18n._('Language')}
      hint={i18n._(
        'Used for invitations, for emails to people who haven’t chosen a language, and for people who join.',
      )}
      saved={workspace.language ?? ''}
      options={[{ value: '', label: i18n._('No default') }, ...languageOptions]}
      save={(language) => setWorkspaceLanguage(language || null)}
    />
  )
}
