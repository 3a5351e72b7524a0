// feed.xml of each tag.
export { rss as GET, ofTags as getStaticPaths } from "../../../../../lib/feeds";
