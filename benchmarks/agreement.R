# ConsensusClusterPlus on a table of features, with what it saw in every resampling.
# Rscript agreement.R features.csv folder maxK reps
suppressPackageStartupMessages(library(ConsensusClusterPlus))
arguments <- commandArgs(trailingOnly = TRUE)
features <- t(as.matrix(read.csv(arguments[1], header = FALSE))) # columns are samples
colnames(features) <- seq_len(ncol(features))
folder <- arguments[2]
maxK <- as.integer(arguments[3])
reps <- as.integer(arguments[4])

seen <- replicate(maxK, matrix(NA, ncol(features), 0), simplify = FALSE)
# The clusterer of each resampling: average linkage, which notes its labels.
noting <- function(distance, k) {
  labels <- cutree(hclust(distance, method = "average"), k)
  column <- rep(NA, ncol(features))
  column[as.integer(attr(distance, "Labels"))] <- labels
  seen[[k]] <<- cbind(seen[[k]], column)
  labels
}
pdf(NULL)
found <- ConsensusClusterPlus(features, maxK = maxK, reps = reps, pItem = 0.8, pFeature = 1,
                              clusterAlg = "noting", distance = "euclidean", seed = 1,
                              title = folder, plot = NULL, verbose = FALSE)
write.exact <- function(value, name) {
  text <- formatC(as.matrix(value), digits = 17, format = "g")
  write.table(text, file.path(folder, name), sep = ",", quote = FALSE, row.names = FALSE, col.names = FALSE)
}
areas <- c()
for (k in 2:maxK) {
  matrix <- found[[k]]$consensusMatrix
  write.exact(matrix, sprintf("matrix%d.csv", k))
  write.exact(seen[[k]], sprintf("labels%d.csv", k))
  write.exact(found[[k]]$consensusClass, sprintf("class%d.csv", k))
  pairs <- ConsensusClusterPlus:::triangle(matrix, mode = 1)
  # as in ConsensusClusterPlus:::CDF, which plots these and returns nothing
  h <- hist(pairs, plot = FALSE, breaks = seq(0, 1, by = 1 / 100))
  cdf <- cumsum(h$counts) / sum(h$counts)
  areas <- c(areas, sum(cdf * diff(h$breaks)))
  write.exact(cdf, sprintf("cdf%d.csv", k))
  # as Senbabaoglu, Michailidis and Li compute it from the matrix
  distribution <- ecdf(pairs)
  write.exact(c(distribution(0.9) - distribution(0.1), mean(pairs > 0.1 & pairs < 0.9)),
              sprintf("pac%d.csv", k))
}
delta <- c(areas[1], diff(areas) / areas[-length(areas)])
write.exact(cbind(areas, delta), "areas.csv")
cat(as.character(packageVersion("ConsensusClusterPlus")), R.version$major, R.version$minor, sep = " ")
