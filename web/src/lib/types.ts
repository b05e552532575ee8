// The types the daemon describes, by short names.
import type { components } from '../api/schema';

type Schemas = components['schemas'];
export type Session = Schemas['Session'];
export type Usage = Schemas['Usage'];
export type Summary = Schemas['Summary'];
export type Approval = Schemas['ApprovalRow'];
export type Decision = Schemas['DecisionRow'];
export type Finding = Schemas['Finding'];
export type Health = Schemas['Health'];
export type Doctor = Schemas['Doctor'];
export type Stats = Schemas['Stats'];
export type Tally = Schemas['KeyedTally'];
export type SearchHit = Schemas['SearchHit'];
export type SearchReply = Schemas['SearchReply'];
export type Explanation = Schemas['Explanation'];
export type Timeline = Schemas['Timeline'];
export type CapturePage = Schemas['CapturePage'];
export type Event = Omit<Schemas['Event'], 'data'> & { data: Record<string, unknown> };
export type Group = Session['group'];
