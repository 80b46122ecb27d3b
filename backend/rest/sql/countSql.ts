import type { PlannedLogic, ReadNode } from '../plan/plan.ts'
import type { Binds } from './Binds.ts'
import { logicSql } from './logicSql.ts'
import { quote } from './quote.ts'
import { fromSql, parentConditions } from './readSql.ts'

/**
 * The rows that a node has without limit or offset, for counting. Embeds are only asked whether they have rows,
 * and nothing is read of them.
 */
export function countSql(node: ReadNode, binds: Binds, parent: ReadNode | null = null): string {
  const exists = (embed: ReadNode): string => `EXISTS (${countSql(embed, binds, node)})`
  const asked = countQuestions(node.where)
  const joined = new Set<ReadNode>()
  const where = node.where.map((logic) =>
    logicSql(quote(node.alias), logic, binds, ({ hasRows, embed }) => {
      // What inner embeds leave over has rows.
      if (embed.attachment!.isInner) return hasRows ? 'TRUE' : 'FALSE'
      const not = hasRows ? '' : 'NOT '
      if (asked.get(embed) === 1) return `${not}${exists(embed)}`
      joined.add(embed)
      return `${not}${quote(embed.attachment!.rows)}.pgrst_any`
    }),
  )
  const joins = [...joined].map(
    (embed) =>
      ` CROSS JOIN LATERAL (SELECT ${exists(embed)} AS pgrst_any) AS ${quote(embed.attachment!.rows)}`,
  )
  const inner = node.embeds.filter((embed) => embed.attachment!.isInner).map(exists)
  const conditions = [...where, ...parentConditions(node, parent), ...inner]
  return `SELECT 1 FROM ${fromSql(node, parent)}${joins.join('')}${conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''}`
}

/**
 * How often each embed is asked for its rows. Asked once, the question stands where it is and becomes a join;
 * asked often, it is put once beside: else the text would double with every level.
 */
function countQuestions(where: PlannedLogic[], counts = new Map<ReadNode, number>()): Map<ReadNode, number> {
  for (const logic of where) {
    if (logic.kind === 'embed') counts.set(logic.embed, (counts.get(logic.embed) ?? 0) + 1)
    else if (logic.kind !== 'filter') countQuestions(logic.items, counts)
  }
  return counts
}
