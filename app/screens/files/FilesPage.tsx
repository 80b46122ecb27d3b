import { i18n } from '@lingui/core'
import { navigate } from '../../historyState.ts'
import { pathTo } from '../../paths.ts'
import { fileKinds } from '../../../wire/fileKinds.ts'
import { useChannel } from '../../data/channels/channels.ts'
import { fileList } from '../../data/files/listing/fileList.ts'
import { usePagedQuery } from '../../data/queries/pagedQuery.ts'
import { titleOf } from '../../features/parts/channels/titleOf.ts'
import { FileBrowser } from '../../features/parts/files/browser/FileBrowser.tsx'
import { Filters } from '../../features/parts/files/browser/Filters.tsx'
import { useFilters } from '../../features/parts/lists/useFilters.ts'
import { ListPage } from '../../shell/ListPage.tsx'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The page with the files of one conversation, or of all readable conversations. */
export default function FilesPage({ channelId = null }: { channelId?: string | null }) {
  const { values, areDefault, change } = useFilters({ name: null, type: ['', ...fileKinds], by: null })
  const filter = {
    channelId,
    kind: values.type || null,
    author: UUID.test(values.by) ? values.by.toLowerCase() : null,
    terms: values.name.trim().slice(0, 255),
  }
  const list = usePagedQuery(fileList, [filter], { keepsPrevious: false })
  const channel = useChannel(channelId ?? '')
  const name = typeof channel === 'string' ? '' : titleOf(channel)
  const up = channelId === null ? pathTo('home') : pathTo('channel', { channelId })
  return (
    <ListPage
      title={i18n._('Files')}
      id={channelId}
      aside={channelId === null ? undefined : <bdi>{name}</bdi>}
      back={up}
      list={JSON.stringify(filter)}
      isReady={list.value !== undefined}
      top={<Filters filter={filter} onChange={change} />}
    >
      <FileBrowser
        filter={filter}
        list={list}
        isFiltered={!areDefault}
        onAll={() => change({ name: '', type: '', by: '' })}
        onWrite={() => navigate(up)}
      />
    </ListPage>
  )
}
