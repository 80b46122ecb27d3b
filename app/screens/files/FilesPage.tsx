import { i18n } from '@lingui/core'
import { navigate } from '../../historyState.ts'
import { formatAddress, pathTo } from '../../paths.ts'
import { usePageQuery } from '../../ui/pageAddress.ts'
import { useChannel } from '../../data/channels/channels.ts'
import { titleOf } from '../../features/parts/channels/titleOf.ts'
import { FileBrowser } from '../../features/parts/files/browser/FileBrowser.tsx'
import paneStyles from '../../shell/Pane.module.css'
import { PaneHeader } from '../../shell/PaneHeader.tsx'
import { parseFilter, formatFilter } from './parseFilter.ts'

/** The page with the files of one conversation, or of all readable conversations. The filter is part of the URL. */
export default function FilesPage({ channelId = null }: { channelId?: string | null }) {
  const filter = parseFilter(channelId, usePageQuery())
  const channel = useChannel(channelId ?? '')
  const name = typeof channel === 'string' ? '' : titleOf(channel)
  const path = channelId === null ? pathTo('files') : pathTo('channelFiles', { channelId })
  const up = channelId === null ? pathTo('home') : pathTo('channel', { channelId })
  return (
    <section className={paneStyles.pane} aria-label={i18n._('Files')}>
      <PaneHeader
        key={channelId}
        title={i18n._('Files')}
        aside={channelId === null ? undefined : <bdi>{name}</bdi>}
        back={up}
      />
      <FileBrowser
        filter={filter}
        onFilter={(change, replace = false) =>
          navigate(formatAddress(path, formatFilter({ ...filter, ...change })), { replace })
        }
        onWrite={() => navigate(up)}
      />
    </section>
  )
}
