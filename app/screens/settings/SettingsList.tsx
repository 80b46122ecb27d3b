import { i18n } from '@lingui/core'
import { pathTo } from '../../paths.ts'
import { ListPage } from '../../shell/ListPage.tsx'
import { Redirect } from '../../ui/Link.tsx'
import { NARROW, useMedia } from '../../ui/useMedia.ts'
import { SettingsLinks } from './SettingsLinks.tsx'

/** The list of all pages of the settings. Where it stands beside each page, the first page is shown. */
export default function SettingsList() {
  if (!useMedia(NARROW)) return <Redirect to={pathTo('profileSettings')} />
  return (
    <ListPage title={i18n._('Settings')}>
      <SettingsLinks page="settings" />
    </ListPage>
  )
}
