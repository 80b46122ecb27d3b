import { i18n } from '@lingui/core'
import type { CheckLanguage } from '../../../../wire/findingTexts.ts'
import { formatDayAndTime } from '../../../ui/dates.ts'
import { formatBytes } from '../../../ui/formatBytes.ts'
import { useLinnetCommand } from './useLinnetCommand.ts'

/** The language of the reader for what the server's checks found (`describeCheck`). */
export function useCheckLanguage(): CheckLanguage {
  const linnet = useLinnetCommand()
  return {
    i18n,
    bytes: formatBytes,
    time: (time) => formatDayAndTime(time),
    count: (count) => new Intl.NumberFormat(i18n.locales ?? i18n.locale).format(count),
    command: (words) => `${linnet} ${words}`,
  }
}
