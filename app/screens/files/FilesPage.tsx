import { i18n } from '@lingui/core'
import LayoutGrid from 'lucide-react/icons/layout-grid'
import ListIcon from 'lucide-react/icons/list'
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
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The page with the files of one conversation, or of all readable conversations. */
export default function FilesPage({ channelId = null }: { channelId?: string | null }) {
  const { values, change } = useFilters({
    name: null,
    type: ['', ...fileKinds],
    by: null,
    view: ['', 'list', 'grid'],
  })
  const filter = {
    channelId,
    kind: values.type || null,
    author: UUID.test(values.by) ? values.by.toLowerCase() : null,
    terms: values.name.trim().slice(0, 255),
  }
  // Images are easier to recognise as a grid. The reader's own choice stays for every type.
  const isGrid = values.view === '' ? filter.kind === 'picture' : values.view === 'grid'
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
      list={JSON.stringify({ ...filter, isGrid })}
      isWide
      actions={
        <IconButton
          label={isGrid ? i18n._('Show as list') : i18n._('Show as grid')}
          icon={<Icon of={isGrid ? ListIcon : LayoutGrid} size={20} />}
          onClick={() => change({ view: isGrid ? 'list' : 'grid' })}
        />
      }
      isReady={list.value !== undefined}
      top={<Filters filter={filter} onChange={change} />}
    >
      <FileBrowser
        filter={filter}
        list={list}
        isGrid={isGrid}
        isFiltered={values.name !== '' || values.type !== '' || values.by !== ''}
        onAll={() => change({ name: '', type: '', by: '' })}
        onWrite={() => navigate(up)}
      />
    </ListPage>
  )
}
